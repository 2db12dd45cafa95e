/** Identity providers on loopback: one that answers, one that is late, one whose answers never end, and one that hangs. */
import type { KeyObject } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

export interface ProviderOrder {
  /** Certificate and key of the TLS server, in PEM. */
  readonly tls: { readonly cert: string; readonly key: string }
  /** The only key of the provider. */
  readonly jwk: ReturnType<KeyObject['export']>
}

export interface ProviderPorts {
  readonly http: number
  /** Port of the simulated Kubernetes API, which needs TLS. */
  readonly tls: number
}

const LATE_MS = 4_000
const PART = 'x'.repeat(60_000)

const { tls, jwk } = workerData as ProviderOrder

const answer: RequestListener = (request, response) => {
  const [, behaviour = '', path = ''] = /^\/([a-z]+)(.*)$/.exec(request.url ?? '') ?? []
  const origin = `http://${request.headers.host}`
  switch (behaviour) {
    case 'keys':
      return response.end(JSON.stringify({ keys: [jwk] }))
    case 'late':
      return setTimeout(() => response.end(JSON.stringify({ keys: [jwk] })), LATE_MS)
    // Stays below the length that the server accepts, and never ends.
    case 'endless':
      return response.writeHead(201).write(PART.repeat(4))
    case 'people':
      return response
        .setHeader('Content-Type', 'application/json')
        .end(
          JSON.stringify({
            issuer: `${origin}/people`,
            authorization_endpoint: `${origin}/people/authorize`,
            token_endpoint: `${origin}/hanging${path}`,
            jwks_uri: `${origin}/keys`,
          }),
        )
    default:
      // Hangs.
      return undefined
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, done))
  return (server.address() as AddressInfo).port
}

const ports: ProviderPorts = {
  http: await listen(createServer(answer)),
  tls: await listen(createTlsServer(tls, answer)),
}
parentPort?.postMessage(ports)
