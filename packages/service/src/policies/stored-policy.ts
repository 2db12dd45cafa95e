/** A stored policy as its handlers find and show it. */

import { type Directory, type PolicyRecord, showPolicy } from '@latchkey/acl'
import type { Policy } from '@latchkey/contract'
import { type Context, type JsonAnswer, json, missing, notFound } from '../handler.ts'

/** The policy, where the request's namespace has it. */
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

/** The answer of a read, which a waiter may see come, change and go. */
export function policyRead(call: Context, policy: PolicyRecord | undefined): JsonAnswer<Policy> {
  if (!policy) return missing(notFound('Requested policy'), { topic: 'policies', filtered: true })
  return { ...policyShown(call, policy), watch: { topic: 'policies', modifyIndex: policy.ModifyIndex } }
}

export function policyShown({ service }: Context, policy: PolicyRecord): JsonAnswer<Policy> {
  return json(showPolicy(policy, service.edition === 'extended'))
}
