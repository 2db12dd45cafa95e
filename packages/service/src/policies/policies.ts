import {
  checkPolicyDelete,
  createPolicy,
  findRulesProblem,
  lintRules,
  showPolicy,
  showPolicyListEntry,
  updatePolicy,
} from '@latchkey/acl'
import type { CreatePolicy, Policy } from '@latchkey/contract'
import { type Context, type Handler, type JsonAnswer, json } from '../handler.ts'
import {
  deleteRecord,
  type Kind,
  readRecord,
  requireRecord,
  takeId,
  withId,
  within,
  writeRecord,
} from '../records.ts'
import { inBodyNamespace, isListed } from '../request/namespace.ts'
import { readInTurn } from '../turns.ts'

export const POLICIES: Kind<'policies', Policy> = {
  table: 'policies',
  subject: 'Requested policy',
  find: (directory, id, namespace) => within(namespace, directory.policy(id)),
  show: ({ service }, policy) => showPolicy(policy, service.edition === 'extended'),
}

export const createPolicyHandler: Handler<'policies.create'> = (call) => createPolicyBy(call, ...takeId(call))

/** Also used by an update without an ID. */
async function createPolicyBy(
  call: Context,
  request: CreatePolicy,
  id?: string,
): Promise<JsonAnswer<Policy>> {
  const { namespace } = inBodyNamespace(call, request.Namespace)
  const { Rules = '' } = request
  const { random } = call.service
  const rulesProblem = await readInTurn(call, Rules, () => findRulesProblem(Rules))
  return writeRecord(POLICIES, call, (directory) => {
    const record = createPolicy(request, { random, directory, namespace, rulesProblem })
    return { record: withId(record, id, (each) => directory.policy(each)) }
  })
}

export const readPolicyHandler: Handler<'policies.read'> = (call) =>
  readRecord(POLICIES, call, call.params.ID)

export const readPolicyByNameHandler: Handler<'policies.readByName'> = (call) =>
  readRecord(POLICIES, call, call.params.Name, (directory, name, namespace) =>
    directory.policyByName(namespace, name),
  )

/** An empty ID creates a policy, as existing clients expect. Decisions: empty ids. */
export const updatePolicyHandler: Handler<'policies.update'> = async (call) => {
  const { body, params } = call
  if (params.ID === '') return createPolicyBy(call, body)
  const there = inBodyNamespace(call, body.Namespace)
  const { Rules = '' } = body
  const rulesProblem = await readInTurn(call, Rules, () => findRulesProblem(Rules))
  return writeRecord(POLICIES, call, (directory) => {
    const existing = requireRecord(POLICIES, there, directory, params.ID)
    return { record: updatePolicy(existing, body, { directory, rulesProblem }), existing }
  })
}

export const deletePolicyHandler: Handler<'policies.delete'> = (call) =>
  deleteRecord(POLICIES, call, call.params.ID, checkPolicyDelete)

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
