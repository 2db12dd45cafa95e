import type { Answer, Call } from '../handler.ts'
import { findPolicy, policyRead } from './stored-policy.ts'

export function readPolicyHandler(call: Call<'policies.read'>): Answer<'policies.read'> {
  return policyRead(call, findPolicy(call, call.directory, call.params.ID))
}
