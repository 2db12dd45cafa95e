/** The build of the server in `apps/server/dist`, which starts in a third of the time that its sources take. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const SERVER = join(import.meta.dirname, '../../../../apps/server')
const SOURCE = join(SERVER, 'src/main.ts')
const BUILT = join(SERVER, 'dist/main.js')

/** Files that a build was made from: path, size in bytes and time of the last change in milliseconds. */
type Inputs = readonly (readonly [path: string, size: number, mtimeMs: number])[]

/** @param paths absolute; a file that does not exist has no size. */
export function inputsOf(paths: readonly string[]): Inputs {
  return paths.map((path) => {
    const { size = -1, mtimeMs = -1 } = statSync(path, { throwIfNoEntry: false }) ?? {}
    return [path, size, mtimeMs]
  })
}

/** Whether there is a build, and none of the files that it was made from has changed since. */
export function isBuildCurrent(): boolean {
  const inputs = readInputs()
  const now = inputsOf(inputs.map(([path]) => path))
  return inputs.length > 0 && JSON.stringify(now) === JSON.stringify(inputs)
}

let main: string | undefined

/** The file that starts the server: of the build if it is current, else of the sources. Decided once per process. */
export function serverMain(): string {
  main ??= isBuildCurrent() ? BUILT : SOURCE
  return main
}

function readInputs(): Inputs {
  try {
    return JSON.parse(readFileSync(join(SERVER, 'dist/inputs.json'), 'utf8'))
  } catch {
    // There is no build.
    return []
  }
}
