/** Blocking queries: a read that waits for an index to pass. Spec 4.1; decisions: blocking queries. */

import type { Random } from '@latchkey/acl'
import { limits } from '@latchkey/contract'
import { tableOf } from '../caller/admission.ts'
import type { AnyAnswer, AnyCall, Watch } from '../handler.ts'
import type { ServiceOptions } from '../options.ts'
import type { ParsedRequest } from '../request/parse.ts'
import type { Store } from '../store/store.ts'
import { isSame, type Shown, shownIn } from './shown.ts'

/**
 * A read as it is answered now. Its index is that of the call, which was taken before the evaluation, so that a change in
 * between is never lost: it wakes the next query at once.
 */
export interface Seen {
  readonly call: AnyCall
  readonly answer: AnyAnswer
}

/** Names in an answer are as they were at one moment, unless they change faster than they are looked up. */
const NAMES_ATTEMPTS_MAX = 3

/**
 * Whether what was loaded for a call can be shown by it, or must be handled again by the call as it is admitted now.
 *
 * What was waited for may be newer than the rights that the caller was admitted with. Had a right been taken away in
 * between, and something been written after that, the caller would see what it never had a right to (COH-10). So
 * where the rights have changed, the caller is judged by the new ones.
 */
export function isCurrent(call: AnyCall, now: AnyCall, attempt: number): boolean {
  return hasSameRights(call, now) && (hasSameNames(call, now) || attempt >= NAMES_ATTEMPTS_MAX)
}

/**
 * The index of an answer: that of its table, and of a key that is there its ModifyIndex, as clients of keys expect it. An
 * index above that is one of the table, and must not go back.
 *
 * @param asked index that the client has; 0 for none.
 */
export function indexOf({ call, answer }: Seen, asked: number): number {
  const { modifyIndex } = answer.watch ?? {}
  const isKeys = modifyIndex !== undefined && tableOf(call.route) === 'kv' && modifyIndex >= asked
  return isKeys ? modifyIndex : Math.max(1, call.tableIndex)
}

/**
 * A query that waits until there is news. Of one record that is a ModifyIndex above the index that the client has, or, of
 * one that is missing, a change since then.
 *
 * Of any other read it is an answer above the client's index, showing something else than the client knows. What the
 * client knows can be told from an exact view at its very index alone. A newer one may already hold the change that is
 * waited for, and taking it for known would lose that change; so where there is none, any higher index is news.
 */
export class Wait {
  private readonly index: number
  private readonly signal: AbortSignal | undefined
  private readonly ports: Pick<ServiceOptions, 'store' | 'clock' | 'random'>
  private readonly deadline: number
  private known: Shown
  /** ModifyIndex of the record when it was last looked at. */
  private lastModifyIndex: number | undefined
  private isWoken = false
  private isLast = false

  constructor(
    { options, request }: ParsedRequest,
    ports: Pick<ServiceOptions, 'store' | 'clock' | 'random'>,
  ) {
    this.index = options.index
    this.signal = request.signal
    this.ports = ports
    this.deadline = ports.clock.now() + options.waitMs + jitter(options.waitMs, ports.random)
  }

  /** Whether this answer is to be sent; if not, it is told when there may be another one. */
  async endsWith({ call, answer }: Seen): Promise<boolean> {
    const { watch } = answer
    if (this.isLast || !watch) return true
    const { store, clock } = this.ports
    const index = Math.max(1, call.tableIndex)
    const shown = watch.filtered ? shownIn(answer) : undefined
    const leftMs = this.deadline - clock.now()
    if (leftMs <= 0 || this.isNews(watch, index, shown)) return true
    if (shown !== undefined && this.index === index && isExact(call, answer, store)) this.known = shown
    this.lastModifyIndex = watch.modifyIndex
    // Whether a missing record has changed since the client's index is for the store to say, once.
    const after = watch.isOwn && !this.isWoken ? Math.min(this.index, index) : index
    // However the wait ends, rights and record are looked at again: either may have expired in the meantime.
    this.isLast = (await store.wait(watch.topic, after, leftMs, this.signal)) !== 'changed'
    this.isWoken = true
    return false
  }

  private isNews({ modifyIndex, isOwn }: Watch, index: number, shown: Shown): boolean {
    if (modifyIndex !== undefined && modifyIndex > this.index) return true
    if (this.index >= index) return false
    // Another record than at the last look is news whatever its index: a store may have been set back.
    if (modifyIndex !== undefined) return this.isWoken && modifyIndex !== this.lastModifyIndex
    return isOwn ? this.isWoken : !isSame(shown, this.known)
  }
}

/** Whether every answer with the index of a call shows the same: the table stood still, and so did names and rights. */
function isExact(call: AnyCall, answer: AnyAnswer, store: Store): boolean {
  // What is read elsewhere may be newer than the indexes of this store say.
  if (call.service.store !== store || !dependsOnTableAlone(call, answer)) return false
  return store.tableIndex(tableOf(call.route)) === call.tableIndex
}

/**
 * Whether an answer with the same index cannot have shown something else: names and rights are older than the index, and
 * no record has expired. Policies, roles and namespaces are answered from the directory itself.
 */
function dependsOnTableAlone({ caller, directory, tableIndex, route }: AnyCall, answer: AnyAnswer): boolean {
  if (answer.watch?.leavesOutExpired) return false
  const table = tableOf(route)
  if (table !== 'tokens' && table !== 'kv') return true
  return directory.version <= tableIndex && caller.token.ModifyIndex <= tableIndex
}

function hasSameRights({ caller: a, namespace }: AnyCall, { caller: b, namespace: now }: AnyCall): boolean {
  return a.authorizer.policies === b.authorizer.policies && a.isGlobal === b.isGlobal && namespace === now
}

function hasSameNames(a: AnyCall, b: AnyCall): boolean {
  return a.directory.version === b.directory.version
}

/** The random part of a wait: 0 to wait / 16, so that clients that started together do not end together. */
function jitter(waitMs: number, random: Random): number {
  return ((random.bytes(1)[0] ?? 0) / 255) * (waitMs / limits.WAIT_JITTER_DIVISOR)
}
