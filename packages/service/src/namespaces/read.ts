import { type Answer, type Call, json, missing, notFound } from '../handler.ts'
import { findNamespace, showNamespace } from './stored-namespace.ts'

export function readNamespaceHandler(call: Call<'namespaces.read'>): Answer<'namespaces.read'> {
  const record = findNamespace(call.directory, call.params.Name)
  if (!record) return missing(notFound('Requested namespace'), { topic: 'namespaces', filtered: true })
  return json(showNamespace(record, call.directory), { topic: 'namespaces', modifyIndex: record.ModifyIndex })
}
