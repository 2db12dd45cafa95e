import { findRulesProblem, updatePolicy } from '@latchkey/acl'
import type { Answer, Call } from '../handler.ts'
import { inBodyNamespace } from '../request/namespace.ts'
import { readToWrite } from '../request/read-in-turns.ts'
import { decideAndCommitFor, modified } from '../store/commit.ts'
import { createPolicyBy } from './create.ts'
import { policyShown, requirePolicy } from './stored-policy.ts'

/** An empty ID creates a policy, as existing clients expect. Decisions: empty ids. */
export async function updatePolicyHandler(call: Call<'policies.update'>): Promise<Answer<'policies.update'>> {
  const { service, body, params } = call
  if (params.ID === '') return createPolicyBy(call, body)
  const there = inBodyNamespace(call, body.Namespace)
  const { Rules = '' } = body
  const rulesProblem = await readToWrite(call, Rules, () => findRulesProblem(Rules))
  return decideAndCommitFor(call, () => {
    const directory = service.store.directory()
    const existing = requirePolicy(there, directory, params.ID)
    const record = updatePolicy(existing, body, { directory, rulesProblem })
    return {
      changes: [{ table: 'policies', op: 'put', record, expect: existing.ModifyIndex }],
      answer: (index) => policyShown(call, modified(record, index)),
    }
  })
}
