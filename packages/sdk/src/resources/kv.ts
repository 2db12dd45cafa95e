/** The key-value store, protected by policies. Spec 5.4. */

import { absentAs } from '../absence.ts'
import { PathParameterError } from '../contract.ts'
import type { Core } from '../core.ts'
import { ContractBroken, NotFound } from '../errors.ts'
import type { Mode, Result, WithMeta } from '../meta.ts'
import type { CallOptions, OwnNames, ReadOptions, WatchOptions } from '../options.ts'
import type { CallOf } from '../request/call.ts'
import { send } from '../request/send.ts'
import type { KVEntry } from '../types.ts'
import { type Watch, watch, watchRecord } from '../watch.ts'

export interface KeyListOptions extends ReadOptions {
  /** Cut each name after the first separator that follows the prefix, and return it once: one level of a tree. */
  readonly separator?: string | undefined
  /** Only keys that the session with this ID has locked. */
  readonly session?: string | undefined
}

const LIST_NAMES: OwnNames<KeyListOptions> = { separator: true, session: true }

type KeyFilter = Pick<KeyListOptions, 'separator' | 'session'>

export interface CasOptions extends CallOptions {
  /**
   * Apply the change only if the key still has this ModifyIndex (0: only if it does not exist); otherwise return
   * `false`. A conditional write with an unknown outcome is not retried.
   */
  readonly cas?: number | undefined
}

export interface PutOptions extends CasOptions {
  /** An unsigned 64-bit number to store with the value; a bigint beyond 2^53. */
  readonly flags?: number | bigint | undefined
}

const CAS_NAMES: OwnNames<CasOptions> = { cas: true }
const PUT_NAMES: OwnNames<PutOptions> = { ...CAS_NAMES, flags: true }

export interface LockWriteOptions extends CallOptions {
  /** Default: empty. */
  readonly value?: string | Uint8Array | undefined
  /** An unsigned 64-bit number to store with the value; a bigint beyond 2^53. */
  readonly flags?: number | bigint | undefined
}

const LOCK_WRITE_NAMES: OwnNames<LockWriteOptions> = { value: true, flags: true }

export class Kv<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Reads a key. `valueText` and `valueBytes` decode its base64 value.
   *
   * Endpoint `kv.read` (GET /v1/kv/:Key). Right: key. Spec 5.4. Errors: Invalid (id_missing, id_invalid,
   * field_too_long), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   *
   * @example
   * const port = valueText(await client.kv.get('web/port'))
   */
  async get(key: string, options: ReadOptions = {}): Promise<Result<M, KVEntry>> {
    return this.#core.shape(await this.#get(key, options))
  }

  /**
   * Reads the value of a key as raw bytes, without base64 encoding.
   *
   * Endpoint `kv.read` (GET /v1/kv/:Key). Right: key. Spec 5.4. Errors: Invalid (id_missing, id_invalid,
   * field_too_long), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  async getRaw(key: string, options: ReadOptions = {}): Promise<Result<M, Uint8Array>> {
    return this.#core.shape(
      await this.#read<Uint8Array>({ ...keyCall(key), query: { raw: true }, form: 'bytes', options }),
    )
  }

  /**
   * Lists the entries whose keys begin with the prefix; an empty prefix means all. If there are none, the list is
   * empty.
   *
   * Endpoint `kv.read` (GET /v1/kv/:Key). Right: key. Spec 5.4. Errors: Invalid (id_missing, id_invalid,
   * field_too_long), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  async list(prefix: string, options: ReadOptions = {}): Promise<Result<M, KVEntry[]>> {
    return this.#core.shape(await this.#list(prefix, options))
  }

  /**
   * Lists the keys that begin with the prefix; an empty prefix means all. If there are none, the list is empty.
   *
   * Endpoint `kv.read` (GET /v1/kv/:Key). Right: key. Spec 5.4. Errors: Invalid (id_missing, id_invalid,
   * field_too_long), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  async keys(prefix: string, options: KeyListOptions = {}): Promise<Result<M, string[]>> {
    return this.#core.shape(await this.#keys(prefix, options, options))
  }

  /**
   * Writes a key. Returns whether it was written.
   *
   * Endpoint `kv.write` (PUT /v1/kv/:Key). Right: key. Spec 5.4. Errors: Invalid (id_missing, id_invalid,
   * session_unknown, field_too_long), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  async put(key: string, value: string | Uint8Array, options: PutOptions = {}): Promise<Result<M, boolean>> {
    const { cas, flags } = options
    const answer = send(this.#core.settings, {
      ...keyCall(key),
      endpoint: 'kv.write',
      query: { cas, flags },
      ownNames: PUT_NAMES,
      body: value,
      ...(cas === undefined ? { repeatable: 'unlessPending' } : {}),
      options,
    })
    return this.#core.shape(await answer)
  }

  /**
   * Writes a key and locks it for a session. `false`: another session holds the key, or a lock delay is running.
   * `client.locks` does this for you.
   *
   * Endpoint `kv.write` (PUT /v1/kv/:Key). Right: key. Spec 5.4. Errors: Invalid (id_missing, id_invalid,
   * session_unknown, field_too_long), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  acquire(key: string, session: string, options: LockWriteOptions = {}): Promise<Result<M, boolean>> {
    return this.#writeBySession(key, { acquire: session }, options)
  }

  /**
   * Writes a key and releases its lock. `false`: the session does not hold the key.
   *
   * Endpoint `kv.write` (PUT /v1/kv/:Key). Right: key. Spec 5.4. Errors: Invalid (id_missing, id_invalid,
   * session_unknown, field_too_long), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  release(key: string, session: string, options: LockWriteOptions = {}): Promise<Result<M, boolean>> {
    return this.#writeBySession(key, { release: session }, options)
  }

  /**
   * Deletes a key. Also `true` if it did not exist.
   *
   * Endpoint `kv.delete` (DELETE /v1/kv/:Key). Right: key. Spec 5.4. Errors: Invalid (id_missing, field_too_long),
   * PermissionDenied (caller_unknown, privilege_missing).
   */
  async delete(key: string, options: CasOptions = {}): Promise<Result<M, boolean>> {
    const { cas } = options
    return this.#core.shape(await this.#delete(keyCall(key).params, { cas }, options))
  }

  /**
   * Deletes all keys that begin with the prefix; an empty prefix means all keys.
   *
   * Endpoint `kv.delete` (DELETE /v1/kv/:Key). Right: key. Spec 5.4. Errors: Invalid (id_missing, field_too_long),
   * PermissionDenied (caller_unknown, privilege_missing).
   */
  async deleteTree(prefix: string, options: CallOptions = {}): Promise<Result<M, boolean>> {
    return this.#core.shape(await this.#delete({ Key: prefix }, { recurse: true }, options))
  }

  /**
   * Follows a key; `value` is `undefined` while it does not exist.
   *
   * Endpoint `kv.read` (GET /v1/kv/:Key). Right: key. Spec 5.4. Errors: Invalid (id_missing, id_invalid,
   * field_too_long), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  watch(key: string, options?: WatchOptions): Watch<KVEntry | undefined> {
    const source = { endpoint: 'kv.read', read: (read: ReadOptions) => this.#get(key, read) } as const
    return watchRecord(this.#core.settings, source, options)
  }

  /**
   * Follows the entries whose keys begin with the prefix.
   *
   * Endpoint `kv.read` (GET /v1/kv/:Key). Right: key. Spec 5.4. Errors: Invalid (id_missing, id_invalid,
   * field_too_long), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  watchTree(prefix: string, options?: WatchOptions): Watch<KVEntry[]> {
    const source = { endpoint: 'kv.read', read: (read: ReadOptions) => this.#list(prefix, read) } as const
    return watch(this.#core.settings, source, options)
  }

  /**
   * Follows the keys that begin with the prefix; with a separator, one level of a tree.
   *
   * Endpoint `kv.read` (GET /v1/kv/:Key). Right: key. Spec 5.4. Errors: Invalid (id_missing, id_invalid,
   * field_too_long), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  watchKeys(prefix: string, options: WatchOptions & KeyFilter = {}): Watch<string[]> {
    const read = (each: ReadOptions) => this.#keys(prefix, options, each)
    return watch(this.#core.settings, { endpoint: 'kv.read', read }, options)
  }

  async #writeBySession(
    key: string,
    session: { readonly acquire: string } | { readonly release: string },
    options: LockWriteOptions,
  ): Promise<Result<M, boolean>> {
    const { value = '', flags } = options
    const answer = send(this.#core.settings, {
      ...keyCall(key),
      endpoint: 'kv.write',
      query: { ...session, flags },
      body: value,
      options,
      ownNames: LOCK_WRITE_NAMES,
    })
    return this.#core.shape(await answer)
  }

  async #get(key: string, options: ReadOptions): Promise<WithMeta<KVEntry>> {
    const answer = await this.#read<KVEntry[]>({ ...keyCall(key), options })
    const [value] = answer.value
    if (value !== undefined) return { ...answer, value }
    const message = 'kv.read: the answer holds no entry'
    throw new ContractBroken({ message, endpoint: 'kv.read', status: 200, meta: answer })
  }

  #list(prefix: string, options: ReadOptions): Promise<WithMeta<KVEntry[]>> {
    const params = { Key: prefix }
    return this.#read<KVEntry[]>({ endpoint: 'kv.read', params, query: { recurse: true }, options }).catch(
      asEmpty<KVEntry>,
    )
  }

  #keys(
    prefix: string,
    { separator, session }: KeyFilter,
    options: ReadOptions,
  ): Promise<WithMeta<string[]>> {
    const query = { keys: true, separator, session }
    return this.#read<string[]>({
      endpoint: 'kv.read',
      params: { Key: prefix },
      query,
      options,
      ownNames: LIST_NAMES,
    }).catch(asEmpty<string>)
  }

  #read<T>(call: CallOf<'kv.read'>): Promise<WithMeta<T>> {
    return send<'kv.read', T>(this.#core.settings, call)
  }

  #delete(
    params: { readonly Key: string },
    query: { readonly cas?: number | undefined; readonly recurse?: boolean },
    options: CallOptions,
  ): Promise<WithMeta<boolean>> {
    const repeatable = query.cas === undefined ? ({ repeatable: 'unlessPending' } as const) : {}
    const ownNames = 'cas' in query ? CAS_NAMES : {}
    return send(this.#core.settings, {
      endpoint: 'kv.delete',
      params,
      query,
      ...repeatable,
      options,
      ownNames,
    })
  }
}

/** Decodes the value of an entry to bytes; empty if it has none. */
export function valueBytes(entry: Pick<KVEntry, 'Value'>): Uint8Array {
  return Uint8Array.from(atob(entry.Value ?? ''), (char) => char.charCodeAt(0))
}

/** Decodes the value of an entry to text; bytes that are not UTF-8 become U+FFFD. */
export function valueText(entry: Pick<KVEntry, 'Value'>): string {
  return new TextDecoder().decode(valueBytes(entry))
}

/** @throws PathParameterError for an empty key, which would address the whole store and is allowed only for trees. */
function keyCall(key: string) {
  if (key === '') {
    throw new PathParameterError('A key must not be empty', { parameter: 'Key', isMissing: true })
  }
  return { endpoint: 'kv.read', params: { Key: key } } as const
}

/** Converts the service's 404 for a prefix without entries to an empty list. */
function asEmpty<T>(error: unknown): WithMeta<T[]> {
  if (!(error instanceof NotFound)) throw error
  return absentAs<T[]>([], error)
}
