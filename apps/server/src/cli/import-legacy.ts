/** `latchkey-server import FILE`: imports the token list of a legacy cluster into a running server. */
import { type DumpRecord, readLegacyRecord } from '@latchkey/acl'
import * as z from 'zod'
import { StartError } from '../start-error.ts'
import { complain, print } from './print.ts'
import { readLegacyList, versionOf } from './read-legacy-list.ts'
import { type Environment, request } from './server-address.ts'

const resultSchema = z.object({
  Imported: z.number(),
  Unchanged: z.number(),
  Problems: z.array(z.object({ Severity: z.enum(['error', 'warning']), Message: z.string() })),
})

const EXIT_FAILED = 1
const PROBLEMS_SHOWN_MAX = 100
const PROGRESS_TOKENS = 50_000

/**
 * Reads the file twice. The first pass only validates, here and on the server: if a single record is bad, nothing is
 * imported. The second pass sends it. After an interruption, run the same command again: tokens that exist already stay
 * unchanged.
 *
 * @returns the exit code: 0 imported, 1 refused.
 * @throws StartError if the file cannot be read, no server answers, or the server refuses the request.
 */
export async function importLegacyTokens(file: string, env: Environment): Promise<number> {
  const version = await versionOf(file)
  const errors = await checkAll(file, env)
  if (errors > 0) {
    complain(
      `Nothing was imported: ${errors === 1 ? '1 error' : `${errors.toLocaleString('en-US')} errors`} in ${file}.\n`,
    )
    return EXIT_FAILED
  }
  const now = await versionOf(file)
  if (now.bytes !== version.bytes || now.modifiedAt !== version.modifiedAt) {
    throw new StartError(`Nothing was imported: ${file} changed while it was being checked.`)
  }
  const { imported, unchanged } = await sendAll(file, env)
  print(`${imported} tokens imported, ${unchanged} existed already.\n`)
  return 0
}

/** @returns the number of errors; prints the first problems. */
async function checkAll(file: string, env: Environment): Promise<number> {
  const progress = progressOf('checked')
  /** The first position of each secret: duplicates may be in different parts. */
  const seen = new Map<string, number>()
  let errors = 0
  let problems = 0
  const tell = (severity: 'error' | 'warning', message: string) => {
    if (severity === 'error') errors += 1
    problems += 1
    if (problems <= PROBLEMS_SHOWN_MAX) complain(`${severity}: ${message}\n`)
  }
  for await (const part of readLegacyList(file)) {
    const own = part.flatMap(({ value, position }) => readLegacyRecord(value, { position, seen }).findings)
    const { Problems } = await send(part, env, '&check')
    const told = new Set(Problems.map(({ Message }) => Message))
    for (const { Severity, Message } of Problems) tell(Severity, Message)
    for (const { severity, message } of own) if (!told.has(message)) tell(severity, message)
    progress(part.length)
  }
  if (problems > PROBLEMS_SHOWN_MAX) complain(`${problems - PROBLEMS_SHOWN_MAX} more problems\n`)
  return errors
}

async function sendAll(file: string, env: Environment): Promise<{ imported: number; unchanged: number }> {
  const progress = progressOf('imported')
  let imported = 0
  let unchanged = 0
  for await (const part of readLegacyList(file)) {
    try {
      const result = await send(part, env)
      imported += result.Imported
      unchanged += result.Unchanged
    } catch (cause) {
      if (!(cause instanceof StartError)) throw cause
      const done = `${imported} tokens imported, ${unchanged} existed already.`
      throw new StartError(`${cause.message}\n${done} Run the same command again to continue.`, { cause })
    }
    progress(part.length)
  }
  return { imported, unchanged }
}

async function send(part: readonly DumpRecord[], env: Environment, options = '') {
  const query = `?position=${part[0]?.position ?? 0}${options}`
  const body = JSON.stringify(part.map(({ value }) => value))
  const response = await request('legacy.import', env, { query, body })
  return resultSchema.parse(await response.json())
}

/** @returns a function that counts tokens, and prints a line now and then. */
function progressOf(verb: string): (count: number) => void {
  let tokens = 0
  return (count) => {
    const before = Math.floor(tokens / PROGRESS_TOKENS)
    tokens += count
    if (Math.floor(tokens / PROGRESS_TOKENS) > before) complain(`${tokens} ${verb}\n`)
  }
}
