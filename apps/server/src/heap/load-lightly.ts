import { setFlagsFromString } from 'node:v8'

/**
 * Work, in units of V8, that a WebAssembly function does before V8 optimizes it. The first queries that Prisma compiles
 * reach V8's default of 13 million: the optimization took 180 ms of processor time in every start, for plans that
 * Prisma then caches.
 */
const WASM_TIERING_BUDGET = 1_000_000_000

/**
 * Loads modules with a young generation that stays small. Otherwise, loading grows it to 32 to 64 MiB, which V8 keeps
 * under load, and takes a tenth of a second longer.
 *
 * @param load imports the modules. Nothing large may be imported before.
 */
export async function loadLightly<T>(load: () => Promise<T>): Promise<T> {
  setFlagsFromString(`--wasm-tiering-budget=${WASM_TIERING_BUDGET}`)
  setFlagsFromString('--semi-space-growth-factor=1')
  const loaded = await load()
  setFlagsFromString('--semi-space-growth-factor=2')
  return loaded
}
