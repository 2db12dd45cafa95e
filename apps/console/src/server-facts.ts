/** Facts about the server that it writes into the page, so the console need not request them. */

interface ServerFacts {
  /** Family of the headers, such as `X-Service-`. */
  readonly headerPrefix: string
  readonly edition: 'standard' | 'extended'
  readonly datacenter: string
  /** Version of the API, such as `1.11.0`. */
  readonly serviceVersion: string
}

const UNKNOWN: ServerFacts = {
  headerPrefix: 'X-Service-',
  edition: 'standard',
  datacenter: '',
  serviceVersion: '',
}

/** Reads the facts from the page; the development server writes none. */
function readServerFacts(): ServerFacts {
  const written = document.querySelector<HTMLMetaElement>('meta[name="latchkey-server"]')?.content
  return written ? { ...UNKNOWN, ...JSON.parse(written) } : UNKNOWN
}

export const serverFacts: ServerFacts = readServerFacts()
