/** Positions in a scenario file, for errors. */
import { InputError, type Place } from '../errors.ts'

export type Path = readonly (string | number)[]

/** A problem with one part of a file. */
export interface Problem {
  readonly path: Path
  readonly message: string
}

/** The source file of a scenario, for the places of errors. */
export interface Source {
  readonly placeOf: (path: Path) => Place
  /** Creates the error for a wrong part of the file. */
  readonly refuse: (path: Path, message: string) => InputError
}

/** A source that knows the position of each part of its file. */
export function sourceOf(placeOf: (path: Path) => Place): Source {
  return { placeOf, refuse: (path, message) => new InputError(message, { place: placeOf(path) }) }
}
