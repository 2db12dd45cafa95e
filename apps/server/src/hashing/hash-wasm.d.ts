/** One function of the library, instead of all of its 20. */
declare module 'hash-wasm/dist/blake2b.umd.min.js' {
  import type { createBLAKE2b } from 'hash-wasm'

  const library: { readonly createBLAKE2b: typeof createBLAKE2b }
  export default library
}
