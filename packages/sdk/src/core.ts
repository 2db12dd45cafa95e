/** Shared by all resources of a client: sends calls and returns results in the client's mode. */

import type { EndpointName } from './contract.ts'
import type { Mode, Result, Shape } from './meta.ts'
import type { Settings, WatchOptions } from './options.ts'
import type { CallOf } from './request/call.ts'
import { send } from './request/send.ts'
import type { AnswerTypes } from './types.ts'
import { type Watch, type WatchSource, watch, watchRecord } from './watch.ts'

export interface Core<M extends Mode> {
  readonly settings: Settings
  readonly shape: Shape<M>
}

/** A call without its options. */
type Question<N extends EndpointName> = Omit<CallOf<N>, 'options'>

/** Sends a call and returns its result in the client's mode. */
export async function call<N extends EndpointName, M extends Mode, T = AnswerTypes[N]>(
  core: Core<M>,
  what: CallOf<N>,
): Promise<Result<M, T>> {
  return core.shape(await send<N, T>(core.settings, what))
}

/** Watches a read; an absent record is an error. */
export function watchCall<N extends EndpointName>(
  core: Core<Mode>,
  question: Question<N>,
  options?: WatchOptions,
): Watch<AnswerTypes[N]> {
  return watch(core.settings, sourceOf(core, question), options)
}

/** Watches a record, and yields `undefined` while it is absent. */
export function watchRecordCall<N extends EndpointName>(
  core: Core<Mode>,
  question: Question<N>,
  options?: WatchOptions,
): Watch<AnswerTypes[N] | undefined> {
  return watchRecord(core.settings, sourceOf(core, question), options)
}

function sourceOf<N extends EndpointName>(
  { settings }: Core<Mode>,
  question: Question<N>,
): WatchSource<AnswerTypes[N]> {
  return { endpoint: question.endpoint, read: (options) => send<N>(settings, { ...question, options }) }
}
