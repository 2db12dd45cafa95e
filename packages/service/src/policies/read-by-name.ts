import type { Answer, Call } from '../handler.ts'
import { policyRead } from './stored-policy.ts'

export function readPolicyByNameHandler(call: Call<'policies.readByName'>): Answer<'policies.readByName'> {
  return policyRead(call, call.directory.policyByName(call.namespace, call.params.Name))
}
