/** `latchkey import FILE`: brings the token list of a legacy cluster into a running server. */
import { readFile } from 'node:fs/promises'
import { buildPath, HEADER, HEADER_PREFIX_DEFAULT } from '@latchkey/contract'
import * as z from 'zod'
import { StartError } from '../start-error.ts'

const resultSchema = z.object({
  Imported: z.number(),
  Unchanged: z.number(),
  Problems: z.array(z.object({ Severity: z.string(), Message: z.string() })),
})

const EXIT_USAGE = 2

/** @returns the exit code: 0 imported, 1 refused or unreachable, 2 usage. */
export async function importLegacyTokens(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const [file, ...surplus] = args
  if (file === undefined || surplus.length > 0) {
    process.stderr.write('Usage: latchkey import FILE\n')
    return EXIT_USAGE
  }
  const dump = await readFile(file).catch((cause: unknown) => {
    throw new StartError(
      `${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    )
  })
  const url = new URL(`/v1${buildPath('legacy.import')}`, env.LATCHKEY_ADDR || 'http://127.0.0.1:8500')
  const headers = { [`${HEADER_PREFIX_DEFAULT}${HEADER.token}`]: env.LATCHKEY_TOKEN ?? '' }
  const response = await fetch(url, { method: 'PUT', headers, body: dump }).catch((cause: unknown) => {
    throw new StartError(`No server answers at ${url.origin}: start one, or set LATCHKEY_ADDR.`, { cause })
  })
  const text = await response.text()
  if (!response.ok) {
    process.stderr.write(`${text}\n`)
    return 1
  }
  const result = resultSchema.parse(JSON.parse(text))
  for (const { Severity, Message } of result.Problems) process.stderr.write(`${Severity}: ${Message}\n`)
  process.stdout.write(`${result.Imported} tokens imported, ${result.Unchanged} were there already.\n`)
  return 0
}
