import { showPolicyListEntry } from '@latchkey/acl'
import { type Answer, type Call, json } from '../handler.ts'
import { isListed } from '../request/namespace.ts'

export function listPoliciesHandler(call: Call<'policies.list'>): Answer<'policies.list'> {
  const showNamespace = call.service.edition === 'extended'
  const policies = [...call.directory.policies()]
    .filter((policy) => isListed(call, policy.Namespace))
    .map((policy) => showPolicyListEntry(policy, showNamespace))
  return json(policies, { topic: 'policies' })
}
