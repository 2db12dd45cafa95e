import { createPolicy, findRulesProblem } from '@latchkey/acl'
import type { CreatePolicy } from '@latchkey/contract'
import type { Answer, Call, Context } from '../handler.ts'
import { inBodyNamespace } from '../request/namespace.ts'
import { readToWrite } from '../request/read-in-turns.ts'
import { created, decideAndCommitFor } from '../store/commit.ts'
import { policyShown } from './stored-policy.ts'

export function createPolicyHandler(call: Call<'policies.create'>): Promise<Answer<'policies.create'>> {
  return createPolicyBy(call, call.body)
}

/** Also used by an update without an ID. */
export async function createPolicyBy(
  call: Context,
  request: CreatePolicy,
): Promise<Answer<'policies.create'>> {
  const { service } = call
  const { namespace } = inBodyNamespace(call, request.Namespace)
  const { Rules = '' } = request
  const rulesProblem = await readToWrite(call, Rules, () => findRulesProblem(Rules))
  return decideAndCommitFor(call, () => {
    const directory = service.store.directory()
    const record = createPolicy(request, { random: service.random, directory, namespace, rulesProblem })
    return {
      changes: [{ table: 'policies', op: 'put', record, expect: 0 }],
      answer: (index) => policyShown(call, created(record, index)),
    }
  })
}
