/** Positions in a scenario file, for errors, and suggestions for misspelt names. */
import { nearestName } from '@latchkey/contract'
import { InputError, type Place } from '../errors.ts'
import { formatSeconds } from './time.ts'

export type Path = readonly (string | number)[]

export interface Problem {
  readonly path: Path
  readonly message: string
}

export interface Source {
  readonly placeOf: (path: Path) => Place
  readonly refuse: (path: Path, message: string) => InputError
}

export function sourceOf(placeOf: (path: Path) => Place): Source {
  return { placeOf, refuse: (path, message) => new InputError(message, { place: placeOf(path) }) }
}

export function impossible(what: string, atMs: number, why: string, place: Place): InputError {
  return new InputError(`impossible schedule: ${what} at ${formatSeconds(atMs)}, ${why}`, { place })
}

export function requireKnown(
  kind: 'server' | 'datacenter',
  name: string | undefined,
  known: readonly string[],
  path: Path,
  source: Source,
): void {
  if (name === undefined || known.includes(name)) return
  throw source.refuse(path, `there is no ${kind} ${name}${didYouMean(name, known)}`)
}

/** The closest candidate as `; did you mean servers?`; empty if none is close. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const nearest = nearestName(word, candidates)
  return nearest === undefined || nearest === word ? '' : `; did you mean ${nearest}?`
}
