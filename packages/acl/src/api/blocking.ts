/** Blocking queries: a read that waits for an index to pass. Spec 4.1; decisions: blocking queries. */
import { type EndpointName, limits } from '@latchkey/contract'
import type { Clock, Random } from '../ports.ts'
import type { Store, TableName } from '../store/store.ts'
import type { Answer, Call } from './call.ts'
import type { ReadOptions } from './query.ts'
import { renderAnswer } from './render.ts'
import type { RequestState } from './request-state.ts'
import type { WireReply } from './wire.ts'

export interface BlockingRead {
  readonly name: EndpointName
  readonly options: ReadOptions
  readonly state: RequestState
  /** The caller's rights as they are now; called again when a wait ends. */
  readonly admit: () => Promise<Call>
  readonly evaluate: (call: Call) => Answer | Promise<Answer>
  readonly signal: AbortSignal | undefined
}

/**
 * Answers a read, at once or when what it shows has changed.
 *
 * The index of an answer is taken before its evaluation, so that a change in between is never lost: it wakes the next
 * query at once.
 */
export async function answerRead(
  read: BlockingRead,
  ports: { readonly store: Store; readonly clock: Clock; readonly random: Random },
): Promise<WireReply> {
  const { options, state, signal } = read
  const { store, clock } = ports
  const isWaiting = options.index > 0
  const deadline = isWaiting ? clock.now() + options.waitMs + jitter(options.waitMs, ports.random) : 0
  let seen: string | undefined
  let isOver = false
  for (;;) {
    const call = await read.admit()
    const index = Math.max(1, await store.tableIndex(tableOf(read.name)))
    const answer = await read.evaluate(call)
    state.setIndex(index)
    if (!isWaiting || isOver || !answer.watch) return renderAnswer(answer, state.context())
    const shown = answer.watch.filtered ? fingerprint(answer) : undefined
    const isNews = options.index < index && (seen === undefined || shown === undefined || shown !== seen)
    const leftMs = deadline - clock.now()
    if (isNews || leftMs <= 0) return renderAnswer(answer, state.context())
    seen = shown
    // However the wait ends, rights and record are looked at again: either may have expired meanwhile.
    isOver = (await store.wait(answer.watch.topic, index, leftMs, signal)) !== 'changed'
  }
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

/** What an answer shows, as text; a new object where it is too large to be held, which counts as changed. */
function fingerprint({ body }: Answer): string | undefined {
  switch (body.kind) {
    case 'json':
      return JSON.stringify(body.value)
    case 'json-text':
      return body.text
    case 'json-bytes':
    case 'bytes':
      return new TextDecoder().decode(body.bytes)
    case 'refusal':
      return body.error.code
    case 'json-stream':
      return undefined
  }
}
