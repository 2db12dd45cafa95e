/**
 * The interval at which a query without an index to wait for is read again while the page is visible. After a failure it
 * waits for the person, or for the server to be back.
 */
export function everySecond({ state }: { readonly state: { readonly error: Error | null } }): number | false {
  return state.error ? false : 1_000
}
