/** What clients did and saw, ordered by one counter: the only input of the checkers. */

/** Content of a token's register: the Description last written, or undefined if the token does not exist. */
export type Held = string | undefined

/** What a client asked. `slot` names one token of the history; every `value` is written once. */
export type Call =
  | { readonly kind: 'create' | 'update'; readonly slot: number; readonly value: string }
  | { readonly kind: 'delete' | 'read' | 'self'; readonly slot: number }
  | { readonly kind: 'list' }

/**
 * How it went. `done`: the write happened, with the ModifyIndex it got (a delete has none). `refused`: it did not,
 * because the token was there (create) or was not (update, delete). `seen`: what a read showed. `listed`: what a list
 * showed, by slot. `unknown`: no answer, or one that leaves it open; the write may still happen, any time.
 */
export type Outcome =
  | { readonly kind: 'done'; readonly modifyIndex: number | undefined }
  | { readonly kind: 'refused' }
  | { readonly kind: 'seen'; readonly held: Held }
  | { readonly kind: 'listed'; readonly values: ReadonlyMap<number, string> }
  | { readonly kind: 'unknown' }

export interface Operation {
  readonly client: number
  /** Place of the process that was asked. */
  readonly process: number
  readonly call: Call
  readonly outcome: Outcome
  /** Places on the one counter of the history: an operation that ended below another's start came before it. */
  readonly startedAt: number
  readonly endedAt: number
  /** `X-Service-Index` of the answer; 0 where there is none. */
  readonly index: number
}

export interface History {
  readonly seed: number
  /** Number of tokens. */
  readonly slots: number
  readonly operations: readonly Operation[]
}

export interface Violation {
  readonly rule: 'register' | 'snapshot' | 'index'
  readonly problem: string
  /** The operations to look at, in order of their start. */
  readonly operations: readonly Operation[]
}

export function describeViolation({ rule, problem, operations }: Violation, seed: number): string {
  const lines = [...operations].sort((a, b) => a.startedAt - b.startedAt).map(describeOperation)
  return [`${rule}: ${problem} (seed ${seed})`, ...lines].join('\n')
}

function describeOperation(operation: Operation): string {
  const { client, process, call, outcome, startedAt, endedAt, index } = operation
  const slot = call.kind === 'list' ? '' : ` ${call.slot}`
  const value = 'value' in call ? ` ${call.value}` : ''
  const shown =
    outcome.kind === 'seen'
      ? ` ${outcome.held ?? 'nothing'}`
      : outcome.kind === 'listed'
        ? ` ${JSON.stringify([...outcome.values])}`
        : outcome.kind === 'done' && outcome.modifyIndex !== undefined
          ? ` at ${outcome.modifyIndex}`
          : ''
  const asked = `client ${client} asks process ${process}: ${call.kind}${slot}${value}`
  return `  ${startedAt}..${endedAt} ${asked} -> ${outcome.kind}${shown}${index > 0 ? `, index ${index}` : ''}`
}
