/** A TLS server that answers the two requests that logins send to a Kubernetes API. */
import { createServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string
  readonly body: string
}

export interface KubernetesApi {
  readonly host: string
  /** All requests so far. */
  readonly seen: readonly SeenRequest[]
  /** The `status` field of the answer to a review. */
  review: { readonly code?: number; readonly status?: unknown; readonly text?: string }
  /** The answer to a service account. */
  account: { readonly code?: number; readonly body?: unknown }
}

export const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews'

export const authenticated = (username: string, more: object = {}): object => ({
  authenticated: true,
  user: { username, uid: 'uid-1' },
  ...more,
})

/** Starts an API that lives as long as the test. It reviews every token as `web` in `shop`. */
export async function startKubernetesApi(tls: ServerOptions): Promise<KubernetesApi> {
  const seen: SeenRequest[] = []
  const server = createServer(tls, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: path = '', headers } = request
    const body = Buffer.concat(chunks).toString()
    seen.push({ method, path, authorization: headers.authorization ?? '', body })
    const { review, account } = api
    if (path === REVIEWS) {
      response
        .writeHead(review.code ?? 201)
        .end(review.text ?? JSON.stringify({ kind: 'TokenReview', status: review.status }))
    } else {
      response.writeHead(account.code ?? 200).end(JSON.stringify(account.body ?? {}))
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const api: KubernetesApi = {
    host: `https://127.0.0.1:${port}`,
    seen,
    review: { status: authenticated('system:serviceaccount:shop:web') },
    account: {},
  }
  return api
}
