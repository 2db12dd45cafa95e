/** `lint`, `rules fmt` and `rules translate`: work on files of rules, without a server. */
import { writeFileSync } from 'node:fs'
import { formatRules, lintRules, translateLegacyRules } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { EXIT } from '../exit-codes.ts'
import { CliError, systemProblem } from '../frame/cli-error.ts'
import type { Action } from '../frame/command-spec.ts'
import type { Paint } from '../frame/io.ts'
import { readText } from '../records/read-body.ts'

interface FileFinding {
  readonly File: string
  readonly Code: string
  readonly Severity: 'error' | 'warning' | 'info'
  readonly Message: string
  readonly Line: number
  readonly Column: number
}

export const lint: Action = async (session, input) => {
  const findings: FileFinding[] = []
  const texts: string[] = []
  for (const path of input.args) {
    const text = await readText(path, session)
    for (const { code, severity, message, line, column } of lintRules(text)) {
      const finding = {
        File: path,
        Code: code,
        Severity: severity,
        Message: message,
        Line: line,
        Column: column,
      }
      findings.push(finding)
      texts.push(renderFinding(finding, text, session.out.paint))
    }
  }
  if (!session.out.isTable) await session.out.data(findings)
  else if (findings.length === 0) await session.note('No findings.')
  else await session.out.text(texts.join(''))
  return findings.some(({ Severity }) => Severity === 'error') ? EXIT.invalid : EXIT.done
}

/** The finding, and the line of the text with a mark below the column. */
function renderFinding(
  { File, Severity, Message, Line, Column }: FileFinding,
  text: string,
  paint: Paint,
): string {
  const styles = { error: 'red', warning: 'yellow', info: 'cyan' } as const
  const source = text.split('\n')[Line - 1] ?? ''
  const mark = `${source.slice(0, Column - 1).replace(/[^\t]/g, ' ')}^`
  return `${File}:${Line}:${Column}: ${paint(styles[Severity], Severity)}: ${Message}\n  ${source}\n  ${mark}\n`
}

export const format: Action = async (session, input) => {
  let differs = false
  for (const path of input.args) {
    const text = await readText(path, session)
    const formatted = atPlace(path, () => formatRules(text))
    if (input.flag('check')) {
      if (formatted === text) continue
      differs = true
      await session.out.text(`${path}\n`)
    } else if (input.flag('write') && path !== '-') {
      if (formatted !== text) writeText(path, formatted)
    } else {
      await session.out.text(formatted)
    }
  }
  return differs ? EXIT.differs : EXIT.done
}

export const translate: Action = async (session, input) => {
  const path = input.arg(0)
  const text = await readText(path, session)
  const widening = input.flag('keepIgnored') ? 'keep' : 'comment-out'
  const { rules, notes } = atPlace(path, () => translateLegacyRules(text, { widening }))
  for (const { message } of notes) await session.note(`${path}: ${message}`)
  await session.out.text(rules.endsWith('\n') || rules === '' ? rules : `${rules}\n`)
}

/** @throws CliError with file, line and column for rules that cannot be read. */
function atPlace<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AclError)) throw error
    throw new CliError(`${path}: ${error.message}`, { exitCode: EXIT.invalid, cause: error })
  }
}

function writeText(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (error) {
    throw new CliError(`cannot write ${path}: ${systemProblem(error)}`, { cause: error })
  }
}
