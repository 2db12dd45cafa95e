import { DEFAULT_NAMESPACE } from '@latchkey/acl'
import { type Answer, type Call, json } from '../handler.ts'
import { DEFAULT_RECORD, showNamespace } from './stored-namespace.ts'

export function listNamespacesHandler(call: Call<'namespaces.list'>): Answer<'namespaces.list'> {
  const records = new Map([[DEFAULT_NAMESPACE, DEFAULT_RECORD]])
  for (const record of call.directory.namespaces()) records.set(record.Name, record)
  const names = [...records.keys()].sort()
  return json(
    names.flatMap((name) => {
      const record = records.get(name)
      return record ? [showNamespace(record, call.directory)] : []
    }),
    { topic: 'namespaces' },
  )
}
