/** The primary as a service in the same process. */
import type { Changes, ChangesDigest } from '@latchkey/contract'
import { HEADER, HEADER_PREFIX_DEFAULT } from '@latchkey/contract'
import type { WireReply, WireRequest } from '../request/wire.ts'
import type { ChangesQuery, ChangesSource } from './changes-source.ts'

interface ServiceSourceOptions {
  readonly handle: (request: WireRequest) => Promise<WireReply>
  /** The replication token: a global one with `acl:write`. */
  readonly secretId: () => string
  /** A prefix that the primary accepts. */
  readonly headerPrefix?: string
}

export function serviceSource({
  handle,
  secretId,
  headerPrefix = HEADER_PREFIX_DEFAULT,
}: ServiceSourceOptions): ChangesSource {
  const tokenHeader = `${headerPrefix}${HEADER.token}`.toLowerCase()
  const cursorHeader = `${headerPrefix}${HEADER.nextCursor}`
  const get = async (url: string, signal: AbortSignal) => {
    const reply = await handle({
      method: 'GET',
      url,
      header: (name) => (name === tokenHeader ? secretId() : undefined),
      readBody: async () => new Uint8Array(0),
      signal,
      requestId: 'replication',
    })
    const text = await textOf(reply.body)
    if (reply.status !== 200) throw new Error(`the primary answered ${reply.status}: ${text}`)
    return { text, reply }
  }
  return {
    async ask(query, signal) {
      const { text, reply } = await get(changesUrl(query), signal)
      return { changes: JSON.parse(text) as Changes, nextCursor: reply.headers[cursorHeader] }
    },
    async digest(at, signal) {
      const { text } = await get(digestUrl(at), signal)
      return JSON.parse(text) as ChangesDigest
    },
  }
}

/** Path and query of a digest request. */
export function digestUrl(at: number): string {
  return `/v1/acl/changes/digest?at=${at}`
}

/** Path and query of a changes request. */
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
