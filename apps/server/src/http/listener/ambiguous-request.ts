import type { IncomingMessage, RequestListener } from 'node:http'

/**
 * Refuses requests that two programs could read differently, which is how requests are smuggled past a proxy. Node
 * refuses most of them (two lengths, folded headers, bare line feeds); this refuses the rest. RFC 9112, 3.2 and 6.1.
 */
export function refuseAmbiguous(listener: RequestListener): RequestListener {
  return (request, response) => {
    const problem = whatIsAmbiguous(request)
    if (problem === undefined) {
      listener(request, response)
      return
    }
    // The following bytes may belong to this request, so the connection closes without starting another.
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }
    response.writeHead(400, headers).end(problem)
  }
}

export function whatIsAmbiguous(request: IncomingMessage): string | undefined {
  const encoding = request.headers['transfer-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    return 'The only transfer encoding that is understood is chunked'
  }
  if (request.headers.host === undefined && request.httpVersion === '1.1')
    return 'The request has no Host header'
  return hasTwoHosts(request.rawHeaders) ? 'The request has more than one Host header' : undefined
}

function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}
