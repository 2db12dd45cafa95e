/** Facts about the server that it writes into the page, so the console need not request them. */

const UNKNOWN = {
  /** Family of the headers. */
  headerPrefix: 'X-Service-',
  edition: 'standard' as 'standard' | 'extended',
  datacenter: '',
  /** Version of the API, such as `1.11.0`. */
  serviceVersion: '',
}

/** Reads the facts from the page; the development server writes none. */
function readServerFacts(): typeof UNKNOWN {
  const written = document.querySelector<HTMLMetaElement>('meta[name="latchkey-server"]')?.content
  return written ? { ...UNKNOWN, ...JSON.parse(written) } : UNKNOWN
}

export const serverFacts = readServerFacts()
