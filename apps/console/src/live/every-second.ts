/**
 * The interval at which a query that has no index to wait for is re-read while the page is visible. After a failure it waits
 * for the person, or until the server is back.
 */
export function everySecond({ state }: { readonly state: { readonly error: Error | null } }): number | false {
  return state.error ? false : 1_000
}
