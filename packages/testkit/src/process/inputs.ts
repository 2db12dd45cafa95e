/** Detects whether the input files of a result have changed since it was made. */
import { statSync } from 'node:fs'

/** Files: path, size in bytes and time of the last change in milliseconds. */
export type Inputs = readonly (readonly [path: string, size: number, mtimeMs: number])[]

/** @param paths absolute; a missing file has no size. */
export function inputsOf(paths: readonly string[]): Inputs {
  return paths.map((path) => {
    const { size = -1, mtimeMs = -1 } = statSync(path, { throwIfNoEntry: false }) ?? {}
    return [path, size, mtimeMs]
  })
}

/** Whether there are files and none of them has changed. */
export function areUnchanged(inputs: Inputs): boolean {
  const now = inputsOf(inputs.map(([path]) => path))
  return inputs.length > 0 && JSON.stringify(now) === JSON.stringify(inputs)
}
