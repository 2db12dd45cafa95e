/** Finds records by name, and suggests similar names if there is none. */
import { nearestNames } from '@latchkey/contract/plain'
import { NotFound } from '@latchkey/sdk'
import { EXIT } from '../exit-codes.ts'
import { CliError } from '../frame/cli-error.ts'

interface Lookup<R> {
  read(): Promise<R>
  /** The names of all records of the kind. */
  names(): Promise<readonly string[]>
}

/** Maximum number of names in a suggestion. */
const SUGGESTIONS_MAX = 3

/** @throws CliError with similar names, if there is no such record. */
export async function findByName<R>(word: string, name: string, { read, names }: Lookup<R>): Promise<R> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    const alike = similarNames(name, await names().catch(() => []))
    const hint =
      alike.length > 0 ? `Did you mean ${alike.join(' or ')}?` : `To list them all: latchkey ${word} list`
    throw new CliError(`there is no ${word} "${name}"`, {
      exitCode: EXIT.notFound,
      hints: [hint],
      cause: error,
    })
  }
}

/** Names that differ in few letters, the closest first; then those that contain the wanted name, or are part of it. */
export function similarNames(wanted: string, names: readonly string[]): string[] {
  const want = wanted.toLowerCase()
  const overlapping = names.filter((name) => {
    const known = name.toLowerCase()
    return want !== '' && known !== '' && (known.includes(want) || want.includes(known))
  })
  return [...new Set([...nearestNames(wanted, names), ...overlapping])].slice(0, SUGGESTIONS_MAX)
}
