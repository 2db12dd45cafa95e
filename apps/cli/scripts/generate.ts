/** Writes the reference of all commands, and the table of exit codes, into docs/cli.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generate } from '@latchkey/tools/build/generated'
import { renderCommands, renderExitCodes } from './cli-page.ts'

const PAGE = join(import.meta.dirname, '../../../docs/cli.md')

/** Replaces the text between the marks of a part. */
function fill(page: string, part: string, text: string): string {
  const marks = new RegExp(`(<!-- ${part}: begin -->)[\\s\\S]*(<!-- ${part}: end -->)`)
  if (!marks.test(page)) throw new Error(`docs/cli.md has no marks for ${part}`)
  return page.replace(marks, (_, begin: string, end: string) => `${begin}\n\n${text}\n\n${end}`)
}

const page = readFileSync(PAGE, 'utf8')
const filled = fill(fill(page, 'exit codes', renderExitCodes()), 'commands', renderCommands())
generate([{ path: PAGE, text: filled }])
