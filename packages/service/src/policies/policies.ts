import {
  checkPolicyDelete,
  createPolicy,
  type Directory,
  findRulesProblem,
  lintRules,
  type PolicyRecord,
  showPolicy,
  showPolicyListEntry,
  updatePolicy,
} from '@latchkey/acl'
import type { CreatePolicy, Policy } from '@latchkey/contract'
import {
  type Answer,
  type Context,
  type Handler,
  type JsonAnswer,
  json,
  missing,
  notFound,
} from '../handler.ts'
import { inBodyNamespace, isListed } from '../request/namespace.ts'
import { created, decideAndCommitFor, modified } from '../store/commit.ts'
import { readInTurn } from '../turns.ts'

export const createPolicyHandler: Handler<'policies.create'> = (call) => createPolicyBy(call, call.body)

/** Also used by an update without an ID. */
async function createPolicyBy(call: Context, request: CreatePolicy): Promise<Answer<'policies.create'>> {
  const { service } = call
  const { namespace } = inBodyNamespace(call, request.Namespace)
  const { Rules = '' } = request
  const rulesProblem = await readInTurn(call, Rules, () => findRulesProblem(Rules))
  return decideAndCommitFor(call, () => {
    const directory = service.store.directory()
    const record = createPolicy(request, { random: service.random, directory, namespace, rulesProblem })
    return {
      changes: [{ table: 'policies', op: 'put', record, expect: 0 }],
      answer: (index) => policyShown(call, created(record, index)),
    }
  })
}

export const readPolicyHandler: Handler<'policies.read'> = (call) =>
  policyRead(call, findPolicy(call, call.directory, call.params.ID))

export const readPolicyByNameHandler: Handler<'policies.readByName'> = (call) =>
  policyRead(call, call.directory.policyByName(call.namespace, call.params.Name))

/** An empty ID creates a policy, as existing clients expect. Decisions: empty ids. */
export const updatePolicyHandler: Handler<'policies.update'> = async (call) => {
  const { service, body, params } = call
  if (params.ID === '') return createPolicyBy(call, body)
  const there = inBodyNamespace(call, body.Namespace)
  const { Rules = '' } = body
  const rulesProblem = await readInTurn(call, Rules, () => findRulesProblem(Rules))
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

export const deletePolicyHandler: Handler<'policies.delete'> = (call) =>
  decideAndCommitFor(call, () => {
    const existing = requirePolicy(call, call.service.store.directory(), call.params.ID)
    checkPolicyDelete(existing)
    return {
      changes: [{ table: 'policies', op: 'delete', record: existing, expect: existing.ModifyIndex }],
      answer: () => json(true),
    }
  })

export const listPoliciesHandler: Handler<'policies.list'> = (call) => {
  const showNamespace = call.service.edition === 'extended'
  const policies = [...call.directory.policies()]
    .filter((policy) => isListed(call, policy.Namespace))
    .map((policy) => showPolicyListEntry(policy, showNamespace))
  return json(policies, { topic: 'policies' })
}

/** An extension. A syntax error is a finding, not a refusal. */
export const lintHandler: Handler<'policies.lint'> = async (call) => {
  const { Rules } = call.body
  const findings = await readInTurn(call, Rules, () => lintRules(Rules))
  return json(
    findings.map(({ code, severity, message, line, column }) => ({
      Code: code,
      Severity: severity,
      Message: message,
      Line: line,
      Column: column,
    })),
  )
}

/** The policy, if it is in the request's namespace. */
function findPolicy(call: Context, directory: Directory, id: string): PolicyRecord | undefined {
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
function policyRead(call: Context, policy: PolicyRecord | undefined): JsonAnswer<Policy> {
  if (!policy) return missing(notFound('Requested policy'), { topic: 'policies', filtered: true })
  return { ...policyShown(call, policy), watch: { topic: 'policies', modifyIndex: policy.ModifyIndex } }
}

function policyShown({ service }: Context, policy: PolicyRecord): JsonAnswer<Policy> {
  return json(showPolicy(policy, service.edition === 'extended'))
}
