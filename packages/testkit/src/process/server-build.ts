/** The build of the server in `apps/server/dist`, which starts in a third of the time that the sources take. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { areUnchanged, type Inputs } from './inputs.ts'

const SERVER = join(import.meta.dirname, '../../../../apps/server')
const SOURCE = join(SERVER, 'src/main.ts')
const BUILT = join(SERVER, 'dist/main.js')

/** Whether there is a build and none of its inputs has changed since. */
export function isBuildCurrent(): boolean {
  return areUnchanged(readInputs())
}

let main: string | undefined

/** The file that starts the server: from the build if it is current, otherwise from the sources. Decided once per process. */
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
