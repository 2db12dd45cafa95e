/** Blocking queries: a read that waits for an index to pass. Spec 4.1; decisions: blocking queries. */
import type { Random } from '@latchkey/acl'
import { type AnyRoute, invariant, limits, REQUEST_ID_HEADER } from '@latchkey/contract'
import { tableOf } from '../caller/admission.ts'
import type { AnyAnswer, AnyCall, Watch } from '../handler.ts'
import type { ServiceOptions } from '../options.ts'
import type { ParsedRequest } from '../request/parse.ts'
import type { WireReply } from '../request/wire.ts'
import type { Store, Topic } from '../store/store.ts'
import { isSame, type Shown, shownIn } from './shown.ts'

/**
 * The answer of a read. Its index was taken before the evaluation, so a change in between is never lost: it wakes the next
 * query immediately.
 */
export interface Seen {
  readonly call: AnyCall
  readonly answer: AnyAnswer
}

const NAMES_ATTEMPTS_MAX = 3

/**
 * Whether a call may show what it loaded, or must be handled again with its new admission.
 *
 * The loaded data may be newer than the rights at admission. If a right was revoked and something was then written in between,
 * the caller would see data to which it never had a right (COH-10). If rights have changed, the call is therefore handled
 * again with the new ones.
 */
export function isCurrent(call: AnyCall, now: AnyCall, attempt: number): boolean {
  const [a, b] = [call.caller, now.caller]
  const hasSameRights = a.authorizer.policies === b.authorizer.policies && a.isGlobal === b.isGlobal
  const hasSameNames = call.directory.version === now.directory.version || attempt >= NAMES_ATTEMPTS_MAX
  return hasSameRights && call.namespace === now.namespace && hasSameNames
}

/**
 * The index of an answer: from its handler, or else from its table. For an existing key it is the ModifyIndex, as clients
 * of keys expect, unless the client already has a higher index, because the index must not decrease.
 * @param asked the client's index; 0 for none.
 */
export function indexOf({ call, answer }: Seen, asked: number): number {
  const { modifyIndex } = answer.watch ?? {}
  const isKeys = modifyIndex !== undefined && tableOf(call.route) === 'kv' && modifyIndex >= asked
  return isKeys ? modifyIndex : answerIndex(call, answer)
}

function answerIndex({ tableIndex }: AnyCall, { watch }: AnyAnswer): number {
  return Math.max(1, watch?.index ?? tableIndex)
}

/**
 * A query that waits for news. For one record, news is a ModifyIndex above the client's index or, if the record is missing, a
 * change since then.
 *
 * For any other read, news is an answer above the client's index whose content differs from the client's. What the client has
 * is only known from an exact view at its own index: a newer view may already contain the awaited change, which would then be
 * lost. Without an exact view, any higher index is news.
 */
export class Wait {
  private readonly index: number
  private readonly signal: AbortSignal | undefined
  private readonly ports: Pick<ServiceOptions, 'store' | 'clock' | 'random'>
  private readonly deadline: number
  private known: Shown
  private lastModifyIndex: number | undefined
  private isWoken = false
  private isLast = false
  private next: { readonly topic: Topic; readonly after: number; readonly leftMs: number } | undefined

  constructor(
    { options, request }: ParsedRequest,
    ports: Pick<ServiceOptions, 'store' | 'clock' | 'random'>,
  ) {
    this.index = options.index
    this.signal = request.signal
    this.ports = ports
    this.deadline = ports.clock.now() + options.waitMs + jitter(options.waitMs, ports.random)
  }

  /** Whether to send this answer. Otherwise, wait for {@link news} and read again. */
  endsWith({ call, answer }: Seen): boolean {
    const { watch } = answer
    if (this.isLast || !watch) return true
    const { store, clock } = this.ports
    const index = answerIndex(call, answer)
    const shown = watch.filtered ? shownIn(answer) : undefined
    const leftMs = this.deadline - clock.now()
    if (leftMs <= 0 || this.isNews(watch, index, shown)) return true
    if (shown !== undefined && this.index === index && isExact(call, answer, store)) this.known = shown
    this.lastModifyIndex = watch.modifyIndex
    // On the first wait, only the store knows whether a missing record has changed since the client's index.
    const seenAt = Math.max(1, call.tableIndex, watch.index ?? 0)
    const after = watch.isOwn && !this.isWoken ? Math.min(this.index, seenAt) : seenAt
    this.next = { topic: watch.topic, after, leftMs }
    return false
  }

  /**
   * Resolves when the answer may have changed. Whatever the outcome, the caller must be authorized and the record read again,
   * because either may have expired.
   */
  news(): Promise<void> {
    const { next, signal } = this
    invariant(next, 'an answer was seen')
    return this.ports.store.wait(next.topic, next.after, next.leftMs, signal).then((outcome) => {
      this.isLast = outcome !== 'changed'
      this.isWoken = true
    })
  }

  private isNews({ modifyIndex, isOwn }: Watch, index: number, shown: Shown): boolean {
    if (modifyIndex !== undefined && modifyIndex > this.index) return true
    if (this.index >= index) return false
    // A different record is news regardless of its index, because a store may have been reset.
    if (modifyIndex !== undefined) return this.isWoken && modifyIndex !== this.lastModifyIndex
    return isOwn ? this.isWoken : !isSame(shown, this.known)
  }
}

function isExact(call: AnyCall, answer: AnyAnswer, store: Store): boolean {
  // Data from another store may be newer than the indexes of this one.
  if (call.service.store !== store || !dependsOnTableAlone(call, answer)) return false
  return store.tableIndex(tableOf(call.route)) === call.tableIndex
}

/** Tables whose visible rows depend on the caller's rights. */
const ROW_RIGHTS: ReadonlySet<string> = new Set(['tokens', 'kv', 'catalog', 'coordinates', 'sessions'])

/**
 * Whether all answers with this index have the same content: names and rights are older than the index, and no record has
 * expired. Policies, roles and namespaces are answered from the directory itself.
 */
function dependsOnTableAlone({ caller, directory, tableIndex, route }: AnyCall, answer: AnyAnswer): boolean {
  if (answer.watch?.leavesOutExpired) return false
  const table = tableOf(route)
  if (!ROW_RIGHTS.has(table)) return true
  return directory.version <= tableIndex && caller.token.ModifyIndex <= tableIndex
}

/** Jitter of a wait, from 0 to wait / 16, so that clients that started together do not end together. */
function jitter(waitMs: number, random: Random): number {
  return ((random.bytes(1)[0] ?? 0) / 255) * (waitMs / limits.WAIT_JITTER_DIVISOR)
}

export interface Answered {
  readonly seen: Seen
  readonly reply: WireReply
}

/**
 * Caches the last answer, for requests with the same URL and headers. It is valid until anything changes, including the
 * millisecond, because tokens expire to the millisecond.
 */
export class SharedAnswers {
  private readonly ports: Pick<ServiceOptions, 'store' | 'clock'>
  private last: (Answered & { readonly alike: string; url: string; version: string }) | undefined

  constructor(ports: Pick<ServiceOptions, 'store' | 'clock'>) {
    this.ports = ports
  }

  /** @returns what evaluating the request now would return; undefined if unknown. */
  of({ request, route }: ParsedRequest): Answered | undefined {
    const { last } = this
    if (!last || request.alike !== last.alike || request.url !== last.url) return undefined
    if (last.version !== this.versionOf(route)) return undefined
    const { seen, reply } = last
    const headers = { ...reply.headers, [REQUEST_ID_HEADER]: request.requestId }
    return { seen, reply: { ...reply, headers } }
  }

  set({ request, route }: ParsedRequest, { seen, reply }: Answered): void {
    const { alike, url } = request
    const { body } = reply
    const isWhole = body === undefined || typeof body === 'string' || body instanceof Uint8Array
    // A stale view can change without this version.
    if (!alike || !isWhole || seen.call.service.store !== this.ports.store) return
    this.last = { alike, url, seen, reply, version: this.versionOf(route) }
  }

  /** What the answer depends on besides the request: time in whole milliseconds, and indexes. */
  private versionOf(route: AnyRoute): string {
    const { store, clock } = this.ports
    const indexes = [store.directory().version, store.tableIndex(tableOf(route)), store.tableIndex('tokens')]
    return [Math.floor(clock.now()), ...indexes].join()
  }
}
