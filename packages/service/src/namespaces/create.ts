import { isNamespaceName, type NamespaceRecord } from '@latchkey/acl'
import { AclError, limits } from '@latchkey/contract'
import { type Answer, type Call, json } from '../handler.ts'
import { created, decideAndCommitFor } from '../store/commit.ts'
import { contentOf, DEFAULT_RECORD, findNamespace, showNamespace } from './stored-namespace.ts'

export function createNamespaceHandler(
  call: Call<'namespaces.create'>,
): Promise<Answer<'namespaces.create'>> {
  const { store } = call.service
  const request = call.body
  const name = request.Name
  checkName(name)
  return decideAndCommitFor(call, () => {
    const directory = store.directory()
    if (findNamespace(directory, name)) {
      throw new AclError('name_in_use', `A namespace with Name "${name}" already exists`, { field: 'Name' })
    }
    const record: NamespaceRecord = { ...DEFAULT_RECORD, Name: name, ...contentOf(request, name, directory) }
    return {
      changes: [{ table: 'namespaces', op: 'put', record, expect: 0 }],
      answer: (index) => json(showNamespace(created(record, index), directory)),
    }
  })
}

function checkName(name: string): void {
  if (name === '') throw new AclError('field_required', 'The namespace has no Name', { field: 'Name' })
  if (isNamespaceName(name)) return
  throw new AclError(
    'name_invalid',
    `Invalid namespace Name. Alphanumerics, '-' and '_' are allowed, alphanumeric at both ends, at most ${limits.NAMESPACE_NAME_LENGTH_MAX}`,
    { field: 'Name' },
  )
}
