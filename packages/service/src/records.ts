/** Reads, writes and deletes one policy, role, namespace, auth method or binding rule. */
import { type Directory, isReservedId, isUuid } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { requireAll } from './caller/authority.ts'
import { type Context, type JsonAnswer, json, missing, notFound } from './handler.ts'
import { put, remove } from './store/changes.ts'
import { decideAndCommitFor } from './store/commit.ts'
import type { RecordOf } from './store/store.ts'

type Table = 'policies' | 'roles' | 'namespaces' | 'authMethods' | 'bindingRules'

export interface Kind<T extends Table, Shown> {
  readonly table: T
  readonly subject: string
  /** By ID or, for records without one, by name. */
  readonly find: (directory: Directory, key: string, namespace: string) => RecordOf[T] | undefined
  readonly show: (call: Context, record: RecordOf[T], directory: Directory) => Shown
}

export function within<R extends { readonly Namespace: string }>(
  namespace: string,
  record: R | undefined,
): R | undefined {
  return record?.Namespace === namespace ? record : undefined
}

/** @throws AclError `not_found`. */
export function requireRecord<T extends Table>(
  kind: Kind<T, unknown>,
  { namespace }: Context,
  directory: Directory,
  key: string,
): RecordOf[T] {
  const record = kind.find(directory, key, namespace)
  if (!record) throw notFound(kind.subject)
  return record
}

/** The answer of a read. A blocking query can wait for the record to appear, change or disappear. */
export function readRecord<T extends Table, Shown>(
  kind: Kind<T, Shown>,
  call: Context,
  key: string,
  find = kind.find,
): JsonAnswer<Shown> {
  const topic = kind.table
  const record = find(call.directory, key, call.namespace)
  if (!record) return missing(notFound(kind.subject), { topic, filtered: true })
  return json(kind.show(call, record, call.directory), { topic, modifyIndex: record.ModifyIndex })
}

/**
 * The body of a create and, in an import, the ID that the record keeps. Tokens may still link a deleted record with that
 * ID, so only a caller with all rights chooses it. @throws AclError `privilege_missing`, `id_invalid`.
 */
export function takeId<B extends { readonly ID?: string | undefined }>(
  call: Context & { readonly query: { readonly import?: true | undefined }; readonly body: B },
): [request: B, id?: string] {
  const { ID } = call.body
  if (call.query.import !== true || !ID) return [call.body]
  requireAll(call)
  if (!isUuid(ID) || isReservedId(ID))
    throw new AclError('id_invalid', 'ID is not a UUID, or is reserved', { field: 'ID' })
  return [{ ...call.body, ID: undefined }, ID.toLowerCase()]
}

/** A new record with that ID. @throws AclError `id_in_use`. */
export function withId<R extends { readonly ID: string }>(
  record: R,
  id: string | undefined,
  find: (id: string) => R | undefined,
): R {
  if (id === undefined) return record
  if (find(id)) throw new AclError('id_in_use', 'ID is the ID of another record', { field: 'ID' })
  return { ...record, ID: id }
}

/** @param decide returns the record, and the one that it replaces. */
export function writeRecord<T extends Table, Shown>(
  kind: Kind<T, Shown>,
  call: Context,
  decide: (directory: Directory) => {
    readonly record: RecordOf[T]
    readonly existing?: RecordOf[T] | undefined
  },
): Promise<JsonAnswer<Shown>> {
  return decideAndCommitFor(call, () => {
    const directory = call.service.store.directory()
    const { record, existing } = decide(directory)
    return {
      changes: [put(kind.table, record, existing)],
      answer: (index) => {
        const CreateIndex = existing?.ModifyIndex ? record.CreateIndex : index
        return json(kind.show(call, { ...record, CreateIndex, ModifyIndex: index }, directory))
      },
    }
  })
}

/** @param check refuses to delete some records. */
export function deleteRecord<T extends Table>(
  kind: Kind<T, unknown>,
  call: Context,
  key: string,
  check: (record: RecordOf[T]) => void = () => {},
): Promise<JsonAnswer<boolean>> {
  return decideAndCommitFor(call, () => {
    const existing = requireRecord(kind, call, call.service.store.directory(), key)
    check(existing)
    return { changes: [remove(kind.table, existing)], answer: () => json(true) }
  })
}
