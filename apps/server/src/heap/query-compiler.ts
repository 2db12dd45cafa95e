import { readFile } from 'node:fs/promises'
import { PACKAGE_FILES } from '../config/package-files.ts'

/**
 * Prisma's query compiler, as a WebAssembly module. Prisma itself imports it as the text of a module, and a process
 * then keeps two copies of 4.5 MB. `scripts/generate.ts` lets the generated client call this.
 */
export function readQueryCompiler(): Promise<Uint8Array> {
  return readFile(PACKAGE_FILES.queryCompiler)
}
