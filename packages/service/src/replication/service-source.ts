/** The primary as a service in the same process. */
import type { Changes } from '@latchkey/contract'
import { HEADER, HEADER_PREFIX_DEFAULT } from '@latchkey/contract'
import type { WireReply, WireRequest } from '../request/wire.ts'
import type { ChangesQuery, ChangesSource } from './changes-source.ts'

export interface ServiceSourceOptions {
  readonly handle: (request: WireRequest) => Promise<WireReply>
  /** The replication token: a global one with `acl:write`. */
  readonly secretId: () => string
  /** One that the primary accepts. */
  readonly headerPrefix?: string
}

export function serviceSource({
  handle,
  secretId,
  headerPrefix = HEADER_PREFIX_DEFAULT,
}: ServiceSourceOptions): ChangesSource {
  const tokenHeader = `${headerPrefix}${HEADER.token}`.toLowerCase()
  const cursorHeader = `${headerPrefix}${HEADER.nextCursor}`
  return {
    async ask(query, signal) {
      const reply = await handle({
        method: 'GET',
        url: changesUrl(query),
        header: (name) => (name === tokenHeader ? secretId() : undefined),
        readBody: async () => new Uint8Array(0),
        signal,
        requestId: 'replication',
      })
      const text = await textOf(reply.body)
      if (reply.status !== 200) throw new Error(`the primary answered ${reply.status}: ${text}`)
      return { changes: JSON.parse(text) as Changes, nextCursor: reply.headers[cursorHeader] }
    },
  }
}

/** Path and query of a question. */
export function changesUrl(query: ChangesQuery): string {
  const options = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return `/v1/acl/changes${options.length === 0 ? '' : `?${options.join('&')}`}`
}

async function textOf(body: WireReply['body']): Promise<string> {
  if (body === undefined || typeof body === 'string') return body ?? ''
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  let text = ''
  const decoder = new TextDecoder()
  for await (const piece of body)
    text += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true })
  return text
}
