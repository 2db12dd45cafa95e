/** Transactions: operations that are applied together or not at all. */

import { refuseUnknownNames } from '../contract.ts'
import type { Core } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions, Consistency, NamesOf } from '../options.ts'
import { send } from '../request/send.ts'
import type { Operation, OperationError, OperationResult } from '../types.ts'

export interface TransactionOptions extends CallOptions {
  /** Only for transactions that only read. Default: the client's. */
  readonly consistency?: Consistency | undefined
}

/** The outcome of a transaction: all of its operations were applied, or none. */
export type TransactionOutcome =
  | {
      readonly committed: true
      /** The results, in the order of the operations; deletes have none. */
      readonly results: readonly OperationResult[]
    }
  | {
      readonly committed: false
      /** The operations that failed, with their positions from 0. */
      readonly errors: readonly OperationError[]
    }

export interface SetOptions {
  /** An unsigned 64-bit number to store with the value; a bigint beyond 2^53. */
  readonly flags?: number | bigint | undefined
}

const SET_NAMES: NamesOf<SetOptions> = { flags: true }

export class Txn<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Applies operations in order, all or none; each sees the writes of earlier ones. A missing right is reported in
   * `errors`. A transaction with conditions is not retried if its outcome is unknown.
   *
   * Endpoint `txn.apply` (PUT /v1/txn). Right: transaction. An extension of the spec. Errors: Invalid
   * (transaction_too_large, field_invalid), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   *
   * @example
   * const outcome = await client.txn.apply([
   *   { KV: { Verb: 'check-not-exists', Key: 'orders/7' } },
   *   { KV: { Verb: 'set', Key: 'orders/7', Value: btoa('new') } },
   * ])
   * if (!outcome.committed) console.error(outcome.errors)
   */
  async apply(
    operations: readonly Operation[],
    options: TransactionOptions = {},
  ): Promise<Result<M, TransactionOutcome>> {
    const { value, ...meta } = await send(this.#core.settings, {
      endpoint: 'txn.apply',
      json: [...operations],
      ...repeatability(operations),
      alsoAnswers: 409,
      hasModes: true,
      options,
    })
    const { Results, Errors } = value
    const outcome: TransactionOutcome = Errors
      ? { committed: false, errors: Errors }
      : { committed: true, results: Results ?? [] }
    return this.#core.shape({ ...meta, value: outcome })
  }

  /**
   * Begins a transaction to which operations are added one by one. Nothing is sent before {@link Transaction.commit}.
   *
   * @example
   * const outcome = await client.txn.begin().checkIndex('orders/next', 9).set('orders/next', '10').commit()
   */
  begin(): Transaction<M> {
    return new Transaction(this)
  }
}

/** The operations of a transaction, in the order of their application. */
export class Transaction<M extends Mode> {
  readonly #txn: Pick<Txn<M>, 'apply'>
  readonly #operations: Operation[] = []

  constructor(txn: Pick<Txn<M>, 'apply'>) {
    this.#txn = txn
  }

  /** Writes a key. */
  set(key: string, value: string | Uint8Array, options: SetOptions = {}): this {
    return this.#key({ Verb: 'set', Key: key, ...contentOf(value, options) })
  }

  /** Writes a key if it has this ModifyIndex (0: if it does not exist); otherwise the transaction fails. */
  cas(key: string, index: number, value: string | Uint8Array, options: SetOptions = {}): this {
    return this.#key({ Verb: 'cas', Key: key, Index: index, ...contentOf(value, options) })
  }

  /** Locks a key for a session and writes it. */
  lock(key: string, session: string, value: string | Uint8Array, options: SetOptions = {}): this {
    return this.#key({ Verb: 'lock', Key: key, Session: session, ...contentOf(value, options) })
  }

  /** Writes a key that the session holds, and releases it. */
  unlock(key: string, session: string, value: string | Uint8Array, options: SetOptions = {}): this {
    return this.#key({ Verb: 'unlock', Key: key, Session: session, ...contentOf(value, options) })
  }

  /** Requires that a session holds a key, such as the lock that protects the transaction. */
  checkSession(key: string, session: string): this {
    return this.#key({ Verb: 'check-session', Key: key, Session: session })
  }

  /** Reads a key, which must exist. */
  get(key: string): this {
    return this.#key({ Verb: 'get', Key: key })
  }

  /** Reads the keys that begin with a prefix. */
  getTree(prefix: string): this {
    return this.#key({ Verb: 'get-tree', Key: prefix })
  }

  /** Requires that a key has this ModifyIndex. */
  checkIndex(key: string, index: number): this {
    return this.#key({ Verb: 'check-index', Key: key, Index: index })
  }

  /** Requires that a key does not exist. */
  checkNotExists(key: string): this {
    return this.#key({ Verb: 'check-not-exists', Key: key })
  }

  /** Deletes a key, if it exists. */
  delete(key: string): this {
    return this.#key({ Verb: 'delete', Key: key })
  }

  /** Deletes a key if it exists; its ModifyIndex must be this one. */
  deleteCas(key: string, index: number): this {
    return this.#key({ Verb: 'delete-cas', Key: key, Index: index })
  }

  /** Deletes the keys that begin with a prefix; an empty prefix means all. */
  deleteTree(prefix: string): this {
    return this.#key({ Verb: 'delete-tree', Key: prefix })
  }

  /** Adds any operation, such as one on a node, a service or a check. */
  add(...operations: readonly Operation[]): this {
    this.#operations.push(...operations)
    return this
  }

  /** Sends the operations; see {@link Txn.apply}. */
  commit(options: TransactionOptions = {}): Promise<Result<M, TransactionOutcome>> {
    return this.#txn.apply(this.#operations, options)
  }

  #key(operation: NonNullable<Operation['KV']>): this {
    return this.add({ KV: operation })
  }
}

/** Idempotent verbs. */
const UNCONDITIONAL: ReadonlySet<string | undefined> = new Set([
  'set',
  'delete',
  'delete-tree',
  'get',
  'get-tree',
])

function repeatability(operations: readonly Operation[]) {
  const verbs = operations.map(({ KV, Node, Service, Check }) => (KV ?? Node ?? Service ?? Check)?.Verb ?? '')
  if (verbs.every((verb) => verb.startsWith('get') || verb.startsWith('check-')))
    return { repeatable: 'always' } as const
  return verbs.every((verb) => UNCONDITIONAL.has(verb)) ? ({ repeatable: 'unlessPending' } as const) : {}
}

function contentOf(value: string | Uint8Array, options: SetOptions) {
  refuseUnknownNames('option', options, Object.keys(SET_NAMES))
  const { flags } = options
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
  const Value = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  return flags === undefined ? { Value } : { Value, Flags: exactNumber(flags) }
}

/** Available in runtimes since 2024, but missing from TypeScript's types. */
const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown }

/** @throws TypeError for a number beyond 2^53 if the runtime would round it. */
function exactNumber(flags: number | bigint): number {
  const rounded = Number(flags)
  if (typeof flags === 'number' || Number.isSafeInteger(rounded)) return rounded
  if (rawJSON === undefined)
    throw new TypeError('This runtime cannot send flags beyond 2^53 in a transaction')
  return rawJSON(String(flags)) as number
}
