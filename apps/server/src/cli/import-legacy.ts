/** `latchkey-server import FILE`: imports the token list of a legacy cluster into a running server. */
import { type DumpRecord, readLegacyRecord } from '@latchkey/acl'
import { buildPath } from '@latchkey/contract'
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
type ImportResult = z.infer<typeof resultSchema>

const EXIT_FAILED = 1
/** Maximum number of printed problems; all are counted. */
const PROBLEMS_SHOWN_MAX = 100
/** Tokens between two progress lines. */
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

/** @returns the number of errors; prints all problems. */
async function checkAll(file: string, env: Environment): Promise<number> {
  const printer = new ProblemPrinter()
  const progress = new Progress('checked')
  /** The first position of each secret: duplicates may be in different parts. */
  const seen = new Map<string, number>()
  for await (const part of readLegacyList(file)) {
    const own = part.flatMap(({ value, position }) => readLegacyRecord(value, { position, seen }).findings)
    const { Problems } = await send(part, env, { isCheck: true })
    const told = new Set(Problems.map(({ Message }) => Message))
    for (const { Severity, Message } of Problems) printer.add(Severity, Message)
    for (const { severity, message } of own) if (!told.has(message)) printer.add(severity, message)
    progress.add(part.length)
  }
  printer.end()
  return printer.errors
}

async function sendAll(file: string, env: Environment): Promise<{ imported: number; unchanged: number }> {
  const progress = new Progress('imported')
  let imported = 0
  let unchanged = 0
  for await (const part of readLegacyList(file)) {
    try {
      const result = await send(part, env, { isCheck: false })
      imported += result.Imported
      unchanged += result.Unchanged
    } catch (error) {
      if (!(error instanceof StartError)) throw error
      const done = `${imported} tokens imported, ${unchanged} existed already.`
      throw new StartError(`${error.message}\n${done} Run the same command again to continue.`, {
        cause: error,
      })
    }
    progress.add(part.length)
  }
  return { imported, unchanged }
}

/** @throws StartError with the message of the server if it refuses. */
async function send(
  part: readonly DumpRecord[],
  env: Environment,
  { isCheck }: { readonly isCheck: boolean },
): Promise<ImportResult> {
  const query = new URLSearchParams({
    ...(isCheck ? { check: '' } : {}),
    position: String(part[0]?.position ?? 0),
  })
  const body = JSON.stringify(part.map(({ value }) => value))
  const response = await request(`/v1${buildPath('legacy.import')}?${query}`, env, { method: 'PUT', body })
  return resultSchema.parse(await response.json())
}

class ProblemPrinter {
  errors = 0
  private printed = 0
  private hidden = 0

  add(severity: 'error' | 'warning', message: string): void {
    if (severity === 'error') this.errors += 1
    if (this.printed === PROBLEMS_SHOWN_MAX) {
      this.hidden += 1
      return
    }
    this.printed += 1
    complain(`${severity}: ${message}\n`)
  }

  end(): void {
    if (this.hidden > 0) complain(`${this.hidden} more problems\n`)
  }
}

class Progress {
  private readonly verb: string
  private tokens = 0

  constructor(verb: string) {
    this.verb = verb
  }

  add(count: number): void {
    const before = Math.floor(this.tokens / PROGRESS_TOKENS)
    this.tokens += count
    if (Math.floor(this.tokens / PROGRESS_TOKENS) > before) complain(`${this.tokens} ${this.verb}\n`)
  }
}
