/** Policies. Reference 5.1. */

import { AclError, policyRequestSchema } from '@latchkey/contract'
import { checkPathId } from '../ids.ts'
import {
  checkPolicyDelete,
  createPolicy,
  showPolicy,
  showPolicyListEntry,
  updatePolicy,
} from '../policy/policy-rules.ts'
import type { Directory } from '../store/directory.ts'
import type { PolicyRecord } from '../store/records.ts'
import { type Answer, type Call, decode, json, missing, notFound } from './call.ts'
import { created, decideAndCommit, modified } from './commit.ts'
import { inBodyNamespace, isListed } from './namespace.ts'

export function createPolicyHandler(call: Call): Promise<Answer> {
  const { api } = call
  const request = decode(call, policyRequestSchema)
  const { namespace } = inBodyNamespace(call, request.Namespace)
  return decideAndCommit(api.store, async () => {
    const record = createPolicy(request, {
      random: api.random,
      directory: await api.store.directory(),
      namespace,
    })
    return {
      changes: [{ table: 'policies', op: 'put', record, expect: 0 }],
      answer: (index) => shown(call, created(record, index)),
    }
  })
}

export function readPolicyHandler(call: Call): Answer {
  const id = call.params.ID ?? ''
  checkPathId(id, 'policy', 'ID')
  return readAnswer(call, findPolicy(call, call.directory, id))
}

export function readPolicyByNameHandler(call: Call): Answer {
  const name = call.params.Name ?? ''
  if (name === '') throw new AclError('id_missing', 'Missing policy Name', { field: 'Name' })
  return readAnswer(call, call.directory.policyByName(call.namespace, name))
}

/** With an empty ID it creates, as existing clients of the reference may do. Reference 5.1. */
export function updatePolicyHandler(call: Call): Promise<Answer> {
  const { api } = call
  const id = call.params.ID ?? ''
  if (id === '') return createPolicyHandler(call)
  checkPathId(id, 'policy', 'ID')
  const request = decode(call, policyRequestSchema)
  const there = inBodyNamespace(call, request.Namespace)
  return decideAndCommit(api.store, async () => {
    const directory = await api.store.directory()
    const existing = requirePolicy(there, directory, id)
    const record = updatePolicy(existing, request, directory)
    return {
      changes: [{ table: 'policies', op: 'put', record, expect: existing.ModifyIndex }],
      answer: (index) => shown(call, modified(record, index)),
    }
  })
}

export function deletePolicyHandler(call: Call): Promise<Answer> {
  const { api } = call
  const id = call.params.ID ?? ''
  checkPathId(id, 'policy', 'ID')
  return decideAndCommit(api.store, async () => {
    const existing = requirePolicy(call, await api.store.directory(), id)
    checkPolicyDelete(existing)
    return {
      changes: [{ table: 'policies', op: 'delete', record: existing, expect: existing.ModifyIndex }],
      answer: () => json(true),
    }
  })
}

export function listPoliciesHandler(call: Call): Answer {
  const showNamespace = call.api.edition === 'extended'
  const policies = [...call.directory.policies()]
    .filter((policy) => isListed(call, policy.Namespace))
    .map((policy) => showPolicyListEntry(policy, showNamespace))
  return json(policies, { topic: 'policies' })
}

/** The policy, where the request's namespace has it. */
export function findPolicy(call: Call, directory: Directory, id: string): PolicyRecord | undefined {
  const policy = directory.policy(id)
  return policy?.Namespace === call.namespace ? policy : undefined
}

export function requirePolicy(call: Call, directory: Directory, id: string): PolicyRecord {
  const policy = findPolicy(call, directory, id)
  if (!policy) throw notFound('Requested policy')
  return policy
}

function readAnswer(call: Call, policy: PolicyRecord | undefined): Answer {
  if (!policy) return missing(notFound('Requested policy'), 'policies')
  return { ...shown(call, policy), watch: { topic: 'policies', filtered: true } }
}

function shown(call: Call, policy: PolicyRecord): Answer {
  return json(showPolicy(policy, call.api.edition === 'extended'))
}
