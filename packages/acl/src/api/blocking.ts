/** Blocking queries: a read that waits for an index to pass. Spec 4.1; decisions: blocking queries. */
import { type EndpointName, limits } from '@latchkey/contract'
import { andThen, isPromise, type MaybePromise } from '../maybe-promise.ts'
import type { Clock, Random } from '../ports.ts'
import type { Store, TableName } from '../store/store.ts'
import type { Answer, Call, Handler } from './call.ts'
import type { ReadOptions } from './query.ts'
import { renderAnswer } from './render.ts'
import type { RequestState } from './request-state.ts'
import { isSame, type Shown, shownIn } from './shown.ts'
import type { WireReply } from './wire.ts'

export interface BlockingRead {
  readonly name: EndpointName
  readonly options: ReadOptions
  readonly state: RequestState
  /** The caller's rights as they are now; called again when a wait ends. */
  readonly admit: () => MaybePromise<Call>
  /** The same call, with rights and names no older than what it has read. */
  readonly readmit: (call: Call) => MaybePromise<Call>
  readonly evaluate: Handler
  readonly signal: AbortSignal | undefined
}

/** What a blocking read leans on. */
interface Ports {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
}

/** A read as it is answered now, and the index it is answered with. */
interface Seen {
  readonly answer: Answer
  readonly index: number
}

/** Answers a read, at once or when what it shows has changed. */
export function answerRead(read: BlockingRead, ports: Ports): MaybePromise<WireReply> {
  if (read.options.index > 0) return answerChange(read, ports)
  return andThen(look(read, ports.store), ({ answer }) => renderAnswer(answer, read.state))
}

async function answerChange(read: BlockingRead, { store, clock, random }: Ports): Promise<WireReply> {
  const { options, state, signal } = read
  const deadline = clock.now() + options.waitMs + jitter(options.waitMs, random)
  let seen: Shown
  let isOver = false
  for (;;) {
    const { answer, index } = await look(read, store)
    if (isOver || !answer.watch) return renderAnswer(answer, state)
    const shown = answer.watch.filtered ? shownIn(answer) : undefined
    const isNews = options.index < index && !isSame(shown, seen)
    const leftMs = deadline - clock.now()
    if (isNews || leftMs <= 0) return renderAnswer(answer, state)
    seen = shown
    // However the wait ends, rights and record are looked at again: either may have expired meanwhile.
    isOver = (await store.wait(answer.watch.topic, index, leftMs, signal)) !== 'changed'
  }
}

function look(read: BlockingRead, store: Store): MaybePromise<Seen> {
  return andThen(read.admit(), (call) => lookBy(call, read, { store, attempt: 1 }))
}

/** Names in an answer are as they were at one moment, unless they change faster than they are looked up. */
const NAMES_ATTEMPTS_MAX = 3

/**
 * Looks once. The index of an answer is taken before its evaluation, so that a change in between is never lost: it wakes
 * the next query at once.
 *
 * What was waited for may be newer than the rights that the caller was admitted with. Had a right been taken away in
 * between, and something been written after that, the caller would see what it never had a right to (COH-10). So
 * where the rights have changed, the caller is judged by the new ones.
 */
function lookBy(
  call: Call,
  read: BlockingRead,
  at: { readonly store: Store; readonly attempt: number },
): MaybePromise<Seen> {
  const { store, attempt } = at
  return andThen(store.tableIndex(tableOf(read.name)), (tableIndex) => {
    const index = Math.max(1, tableIndex)
    const seen = (answer: Answer): Seen => {
      read.state.setIndex(index)
      return { answer, index }
    }
    const answer = read.evaluate(call)
    if (!isPromise(answer)) return seen(answer)
    return answer.then(async (loaded) => {
      const now = await read.readmit(call)
      const isCurrent = hasSameRights(call, now) && (hasSameNames(call, now) || attempt >= NAMES_ATTEMPTS_MAX)
      return isCurrent ? seen(loaded) : lookBy(now, read, { store, attempt: attempt + 1 })
    })
  })
}

function hasSameRights({ caller: a, namespace }: Call, { caller: b, namespace: now }: Call): boolean {
  return a.authorizer.policies === b.authorizer.policies && a.isGlobal === b.isGlobal && namespace === now
}

function hasSameNames(a: Call, b: Call): boolean {
  return a.directory.version === b.directory.version
}

/** The table whose highest index an endpoint's answers carry. Reference 4.2. */
export function tableOf(name: EndpointName): TableName {
  if (name.startsWith('policies.')) return 'policies'
  if (name.startsWith('roles.')) return 'roles'
  if (name.startsWith('kv.')) return 'kv'
  if (name.startsWith('namespaces.')) return 'namespaces'
  return 'tokens'
}

/** The random part of a wait: 0 to wait / 16, so that clients that started together do not end together. */
function jitter(waitMs: number, random: Random): number {
  return ((random.bytes(1)[0] ?? 0) / 255) * (waitMs / limits.WAIT_JITTER_DIVISOR)
}
