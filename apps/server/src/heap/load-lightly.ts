import { setFlagsFromString } from 'node:v8'

/**
 * Work, in units of V8, that a WebAssembly function does before V8 optimizes it. V8's own 13 million are reached by the first queries that
 * Prisma compiles: optimizing them took 180 ms of processor time in every start, for plans that Prisma then keeps.
 */
const WASM_TIERING_BUDGET = 1_000_000_000

/**
 * Loads modules with a young generation that stays small. Otherwise loading leaves one of 32 to 64 MiB, which V8 keeps under
 * load, and it takes a tenth of a second more.
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
