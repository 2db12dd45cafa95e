/** Each datacenter assigns its own commit indexes to its copies of records. Decisions: writes in a secondary. */
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
 * Replaces the indexes of the record in an answer of the primary by those of its local copy, so that a client can wait from
 * them. An answer without a record, or whose record has no copy here, stays unchanged.
 *
 * @param answer body of a 200 of the primary.
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
  // If the copy already contains a later write, a blocking read from the index before it returns immediately.
  const ModifyIndex = copy.Hash === record.Hash ? copy.ModifyIndex : copy.ModifyIndex - 1
  const shown = { ...record, CreateIndex: copy.CreateIndex, ModifyIndex }
  return new TextEncoder().encode(stringify(shown, pretty))
}

function isIndexed(value: unknown): value is Indexed {
  return typeof value === 'object' && value !== null && 'CreateIndex' in value && 'ModifyIndex' in value
}
