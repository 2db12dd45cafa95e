/** The other datacenters of a mock service, which are also mock services. */
import {
  type Datacenters,
  datacenterSilent,
  datacenterUnreachable,
  type ForwardedReply,
} from '@latchkey/service'
import { NoAnswer } from '../faults.ts'
import type { Settings } from '../options.ts'

export function mockDatacenters({
  datacenter: own,
  datacenters,
}: Pick<Settings, 'datacenter' | 'datacenters'>): Datacenters {
  return {
    get names() {
      return Object.keys(datacenters).filter((name) => name !== own)
    },
    send: async (name, { method, url, headers, body, signal }) => {
      const other = datacenters[name]
      const init = {
        method,
        headers: { ...headers },
        body: body === undefined || method === 'GET' ? null : new Uint8Array(body),
        signal: signal ?? null,
      }
      if (!other) throw datacenterUnreachable(name)
      const answer = other.fetch(`${other.baseUrl}${url}`, init).catch((error: unknown) => {
        if (signal?.aborted) throw error
        const isUnsent = error instanceof NoAnswer && !error.isSent
        throw method === 'GET' || isUnsent
          ? datacenterUnreachable(name, error)
          : datacenterSilent(name, error)
      })
      return replyOf(await answer)
    },
  }
}

function replyOf(answer: Response): ForwardedReply {
  return {
    status: answer.status,
    header: (name) => answer.headers.get(name) ?? undefined,
    body: pieces(answer),
  }
}

async function* pieces(answer: Response): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(await answer.arrayBuffer())
}
