/** Where a secondary datacenter gets the records of its primary. Decisions: replication. */
import { type Changes, HEADER, HEADER_PREFIX_DEFAULT } from '@latchkey/contract'
import type { WireReply, WireRequest } from '../request/wire.ts'

/** The query of `GET /v1/acl/changes`. */
export interface ChangesQuery {
  readonly index?: number
  readonly cluster?: string
  readonly cursor?: string
  /** With `index`: if there are too many changes, they arrive in parts. */
  readonly staged?: true
  /** How long the primary may wait for a change: a duration such as `15s`. */
  readonly wait?: string
}

export interface ChangesAnswer {
  /** As received; `readChanges` checks it. */
  readonly changes: Changes
  /** For a page of a copy: the cursor of the next page. */
  readonly nextCursor: string | undefined
}

/** The primary: over HTTP in the server, in memory in the mocks. */
export interface ChangesSource {
  /** Sends one request. @throws AclError or Error with a message for `LastErrorMessage`, which must show no secret. */
  ask(query: ChangesQuery, signal: AbortSignal): Promise<ChangesAnswer>
}

interface ServiceSourceOptions {
  readonly handle: (request: WireRequest) => Promise<WireReply>
  /** The replication token: a global one with `acl:write`. */
  readonly secretId: () => string
  readonly headerPrefix?: string
}

/** The primary as a service in the same process. */
export function serviceSource({
  handle,
  secretId,
  headerPrefix = HEADER_PREFIX_DEFAULT,
}: ServiceSourceOptions): ChangesSource {
  const tokenHeader = `${headerPrefix}${HEADER.token}`.toLowerCase()
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
      const nextCursor = reply.headers[`${headerPrefix}${HEADER.nextCursor}`]
      return { changes: JSON.parse(text) as Changes, nextCursor }
    },
  }
}

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
