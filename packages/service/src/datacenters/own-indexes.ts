/** Each datacenter has its own commit indexes, and so have its copies of records. Decisions: writes in a secondary. */
import type { AnyRoute } from '@latchkey/contract'
import { stringify } from '../reply/json-text.ts'
import type { Store } from '../store/store.ts'

interface Indexed {
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly Hash?: string
}

type Find = (store: Store, record: Readonly<Record<string, unknown>>) => Promise<Indexed | undefined>

const FIND: { readonly [R in AnyRoute['resource']]?: Find } = {
  tokens: (store, { AccessorID }) => store.tokenByAccessor(String(AccessorID)),
  policies: async (store, { ID }) => store.directory().policy(String(ID)),
  roles: async (store, { ID }) => store.directory().role(String(ID)),
  namespaces: async (store, { Name }) => store.directory().namespace(String(Name)),
}

/**
 * Gives the record in an answer of the primary the indexes of its copy here, so that a client may wait from them. An answer
 * without a record, or with one that has no copy, stays as it is.
 *
 * @param answer what the primary answered with 200.
 */
export async function withOwnIndexes(
  answer: Uint8Array,
  { resource }: AnyRoute,
  { store, pretty }: { readonly store: Store; readonly pretty: boolean },
): Promise<Uint8Array> {
  const record: unknown = JSON.parse(new TextDecoder().decode(answer))
  if (!isIndexed(record)) return answer
  const copy = await FIND[resource]?.(store, { ...record })
  if (!copy) return answer
  // If the copy already contains a later write, a read from the index before it answers at once.
  const ModifyIndex = copy.Hash === record.Hash ? copy.ModifyIndex : copy.ModifyIndex - 1
  const shown = { ...record, CreateIndex: copy.CreateIndex, ModifyIndex }
  return new TextEncoder().encode(stringify(shown, pretty))
}

function isIndexed(value: unknown): value is Indexed {
  return typeof value === 'object' && value !== null && 'CreateIndex' in value && 'ModifyIndex' in value
}
