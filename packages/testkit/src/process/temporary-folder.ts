import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** A new folder that is removed after all tests of the file. Call it where hooks are declared. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `latchkey-${name}-`))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
