/** The key-value store, protected by policies. Spec 5.4. */

import { absentAs } from '../absence.ts'
import type { Core } from '../core.ts'
import { ContractBroken, NotFound } from '../errors.ts'
import { Kv as RegularKv } from '../generated/kv.ts'
import type { Mode, Result, WithMeta } from '../meta.ts'
import type { OwnNames, ReadOptions, WatchOptions } from '../options.ts'
import type { CallOf } from '../request/call.ts'
import { send } from '../request/send.ts'
import type { KVEntry } from '../types.ts'
import { type Watch, watch, watchRecord } from '../watch.ts'
import { keyOf } from './selections.ts'

export interface KeyListOptions extends ReadOptions {
  /** Cut each name after the first separator that follows the prefix, and return it once: one level of a tree. */
  readonly separator?: string | undefined
  /** Only keys that the session with this ID has locked. */
  readonly session?: string | undefined
}

const LIST_NAMES: OwnNames<KeyListOptions> = { separator: true, session: true }

type KeyFilter = Pick<KeyListOptions, 'separator' | 'session'>

export class Kv<M extends Mode> extends RegularKv<M> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    super(core)
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

  async #get(key: string, options: ReadOptions): Promise<WithMeta<KVEntry>> {
    const answer = await this.#read<KVEntry[]>({ endpoint: 'kv.read', params: { Key: keyOf(key) }, options })
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
}

/** Decodes the value of an entry to bytes; empty if it has none. */
export function valueBytes(entry: Pick<KVEntry, 'Value'>): Uint8Array {
  return Uint8Array.from(atob(entry.Value ?? ''), (char) => char.charCodeAt(0))
}

/** Decodes the value of an entry to text; bytes that are not UTF-8 become U+FFFD. */
export function valueText(entry: Pick<KVEntry, 'Value'>): string {
  return new TextDecoder().decode(valueBytes(entry))
}

/** Converts the service's 404 for a prefix without entries to an empty list. */
function asEmpty<T>(error: unknown): WithMeta<T[]> {
  if (!(error instanceof NotFound)) throw error
  return absentAs<T[]>([], error)
}
