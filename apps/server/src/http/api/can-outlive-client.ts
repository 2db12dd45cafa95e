const WAITS_BY_QUERY = /[?&](?:index=|dc=|[^=&?]*%)/
const TAKES_TURNS_OR_HIDES = /\/(?:who-can|what-if|lint)|^[^?]*%/

/**
 * Whether a request can outlive its client; only such requests pay for a signal. These are blocking queries (`index`),
 * requests for another datacenter (`dc`), work that takes many turns, URLs whose encoding may hide one of these, and,
 * in a secondary datacenter, writes that it forwards to the primary.
 *
 * @param url path and query.
 */
export function canOutliveClient(
  { method, url }: { readonly method?: string | undefined; readonly url?: string | undefined },
  forwardsWrites: boolean,
): boolean {
  if (forwardsWrites && method !== 'GET') return true
  return url !== undefined && mayWait(url)
}

function mayWait(url: string): boolean {
  return (url.includes('?') && WAITS_BY_QUERY.test(url)) || TAKES_TURNS_OR_HIDES.test(url)
}
