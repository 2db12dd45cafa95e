/** Look-up and rendering of policies. */

import { type Directory, type PolicyRecord, showPolicy } from '@latchkey/acl'
import type { Policy } from '@latchkey/contract'
import { type Context, type JsonAnswer, json, missing, notFound } from '../handler.ts'

/** The policy, if it is in the request's namespace. */
export function findPolicy(call: Context, directory: Directory, id: string): PolicyRecord | undefined {
  const policy = directory.policy(id)
  return policy?.Namespace === call.namespace ? policy : undefined
}

/** @throws AclError `not_found`. */
export function requirePolicy(call: Context, directory: Directory, id: string): PolicyRecord {
  const policy = findPolicy(call, directory, id)
  if (!policy) throw notFound('Requested policy')
  return policy
}

/** The answer of a read. A blocking query can wait for the policy to appear, change or disappear. */
export function policyRead(call: Context, policy: PolicyRecord | undefined): JsonAnswer<Policy> {
  if (!policy) return missing(notFound('Requested policy'), { topic: 'policies', filtered: true })
  return { ...policyShown(call, policy), watch: { topic: 'policies', modifyIndex: policy.ModifyIndex } }
}

export function policyShown({ service }: Context, policy: PolicyRecord): JsonAnswer<Policy> {
  return json(showPolicy(policy, service.edition === 'extended'))
}
