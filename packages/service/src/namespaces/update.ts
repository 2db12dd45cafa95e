import { AclError } from '@latchkey/contract'
import { type Answer, type Call, json } from '../handler.ts'
import { created, decideAndCommitFor, modified } from '../store/commit.ts'
import { contentOf, requireNamespace, showNamespace } from './stored-namespace.ts'

/** Replaces description and defaults, and clears omitted ones. */
export function updateNamespaceHandler(
  call: Call<'namespaces.update'>,
): Promise<Answer<'namespaces.update'>> {
  const { store } = call.service
  const { Name: name } = call.params
  const request = call.body
  if (request.Name !== undefined && request.Name !== name) {
    throw new AclError('accessor_mismatch', 'Namespace Name in URL and payload do not match', {
      field: 'Name',
    })
  }
  return decideAndCommitFor(call, () => {
    const directory = store.directory()
    const existing = requireNamespace(directory, name)
    const record = { ...existing, ...contentOf(request, name, directory) }
    return {
      changes: [{ table: 'namespaces', op: 'put', record, expect: existing.ModifyIndex }],
      answer: (index) =>
        json(
          showNamespace(
            existing.ModifyIndex === 0 ? created(record, index) : modified(record, index),
            directory,
          ),
        ),
    }
  })
}
