/** Evaluates identical waiting requests once when they end together. */
import { REQUEST_ID_HEADER } from '@latchkey/contract'
import { tableOf } from '../caller/admission.ts'
import type { ServiceOptions } from '../options.ts'
import type { ParsedRequest } from '../request/parse.ts'
import type { WireReply } from '../request/wire.ts'
import type { Seen } from './blocking.ts'

export interface Answered {
  readonly seen: Seen
  readonly reply: WireReply
}

interface Kept extends Answered {
  readonly alike: object
  readonly url: string
  /** What the answer depends on besides the request: time in whole milliseconds, and versions. */
  readonly now: number
  readonly directoryVersion: number
  readonly tableIndex: number
  readonly tokensIndex: number
}

/**
 * Caches the last answer, for requests with the same URL and headers. It is valid until anything changes, including the
 * millisecond, because tokens expire to the millisecond.
 */
export class AlikeAnswers {
  private readonly ports: Pick<ServiceOptions, 'store' | 'clock'>
  private kept: Kept | undefined

  constructor(ports: Pick<ServiceOptions, 'store' | 'clock'>) {
    this.ports = ports
  }

  /** @returns what evaluating the request now would return; undefined if unknown. */
  of({ request, route }: ParsedRequest): Answered | undefined {
    const { kept } = this
    if (!kept || request.alike !== kept.alike || request.url !== kept.url) return undefined
    const { store, clock } = this.ports
    const isSame =
      Math.floor(clock.now()) === kept.now &&
      store.directory().version === kept.directoryVersion &&
      store.tableIndex(tableOf(route)) === kept.tableIndex &&
      store.tableIndex('tokens') === kept.tokensIndex
    return isSame ? { seen: kept.seen, reply: withId(kept.reply, request.requestId) } : undefined
  }

  keep({ request, route }: ParsedRequest, { seen, reply }: Answered): void {
    const { alike, url } = request
    const { body } = reply
    const isWhole = body === undefined || typeof body === 'string' || body instanceof Uint8Array
    const { store, clock } = this.ports
    // A stale view can change without these versions.
    if (!alike || !isWhole || seen.call.service.store !== store) return
    this.kept = {
      alike,
      url,
      seen,
      reply,
      now: Math.floor(clock.now()),
      directoryVersion: store.directory().version,
      tableIndex: store.tableIndex(tableOf(route)),
      tokensIndex: store.tableIndex('tokens'),
    }
  }
}

function withId(reply: WireReply, requestId: string): WireReply {
  return { ...reply, headers: { ...reply.headers, [REQUEST_ID_HEADER]: requestId } }
}
