/** What clients did and saw, ordered by one counter: the only input of the checkers. */

/** Content of a token's register: the Description last written, or undefined if the token does not exist. */
export type Held = string | undefined

/** A request. `slot` names one token of the history; every `value` is written once. */
export type Call =
  | { readonly kind: 'create' | 'update'; readonly slot: number; readonly value: string }
  | { readonly kind: 'delete' | 'read' | 'self'; readonly slot: number }
  | { readonly kind: 'list' }

/**
 * The outcome. `done`: the write happened, with its ModifyIndex (a delete has none). `refused`: it did not happen, because
 * the token existed (create) or did not (update, delete). `seen`: what a read showed. `listed`: what a list showed, by
 * slot. `unknown`: no answer, or an inconclusive one; the write may still happen at any time.
 */
export type Outcome =
  | { readonly kind: 'done'; readonly modifyIndex: number | undefined }
  | { readonly kind: 'refused' }
  | { readonly kind: 'seen'; readonly held: Held }
  | { readonly kind: 'listed'; readonly values: ReadonlyMap<number, string> }
  | { readonly kind: 'unknown' }

export interface Operation {
  readonly client: number
  /** Index of the process that got the request. */
  readonly process: number
  readonly call: Call
  readonly outcome: Outcome
  /** Positions on the history's one counter: an operation whose end is below another's start happened before it. */
  readonly startedAt: number
  readonly endedAt: number
  /** `X-Service-Index` of the answer; 0 if absent. */
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
  /** The operations to examine, in order of their start. */
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
