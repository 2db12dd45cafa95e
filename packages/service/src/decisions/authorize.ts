/** Authorization decisions for applications. Explanations are an extension. */
import { checkPathId, type DecisionExplanation, parseQuestion, type Question } from '@latchkey/acl'
import type { AuthorizeAnswer, AuthorizeCheck, Explanation } from '@latchkey/contract'
import { limits, shorten } from '@latchkey/contract'
import { homeOfQuestion, isAtHome, mayIn, type RightsHolder, requireRight } from '../caller/caller.ts'
import { type Answer, type Call, type Handler, json, notFound } from '../handler.ts'
import { jsonText } from '../reply/json-text.ts'
import { requireExisting } from '../request/namespace.ts'
import { findToken } from '../tokens/stored-token.ts'
import { StepCounter, stepsOf } from '../turns.ts'

type Authorize = 'decisions.authorize'

/**
 * Up to 64 checks in one call. An empty list is answered without resolving the token. Synchronous if the answers to the same
 * checks are cached.
 */
export const authorizeHandler: Handler<'decisions.authorize'> = (call) => {
  const { body: checks, caller, namespace, query, decisionCache } = call
  if (checks.length === 0) return json([])
  if (!caller.unknown) requireExisting(call, namespace)
  const isPlain = query.accessor === undefined && query.explain !== true && !caller.unknown
  const known = isPlain ? decisionCache.get(checks, caller, namespace) : undefined
  return known === undefined ? decide(call) : { body: { kind: 'json-text', text: known } }
}

async function decide(call: Call<Authorize>): Promise<Answer<Authorize>> {
  const { body: checks, namespace, query, decisionCache } = call
  const asked = checks.map((check, i) => ({ check, question: parseQuestion(check, i) }))
  if (call.caller.unknown) throw call.caller.unknown
  const holder = await holderAsked(call)
  const answers = await answerChecks(call, asked, holder)
  if (query.explain) return json(answers)
  const text = jsonText(answers)
  decisionCache.set(checks, holder, namespace, text)
  return { body: { kind: 'json-text', text } }
}

/** The caller itself or, for a caller that may read tokens, another token. */
async function holderAsked(call: Call<Authorize>): Promise<RightsHolder> {
  const { accessor: accessorId } = call.query
  if (accessorId === undefined) return call.caller
  checkPathId(accessorId, 'token', 'accessor')
  if (accessorId.toLowerCase() === call.caller.token.AccessorID.toLowerCase()) return call.caller
  requireRight(call.caller, call.namespace, { resource: 'acl', access: 'read' })
  const token = await findToken(call, accessorId)
  if (!token) throw notFound('Requested token')
  return { token, ...(await call.callers.rightsOf(token, call.directory)) }
}

async function answerChecks(
  call: Call<Authorize>,
  asked: readonly { readonly check: AuthorizeCheck; readonly question: Question }[],
  holder: RightsHolder,
): Promise<AuthorizeAnswer[]> {
  const { namespace, query } = call
  const counter = new StepCounter(call)
  const answers: AuthorizeAnswer[] = []
  for (const { check, question } of asked) {
    const { Resource, Segment = '', Access } = check
    await counter.count(stepsOf(Segment.length))
    const echoed = Segment ? { Resource, Segment, Access } : { Resource, Access }
    if (query.explain) {
      const explanation = isAtHome(holder, homeOfQuestion(question, namespace))
        ? holder.authorizer.explain(question)
        : { allow: false, path: { via: 'elsewhere' } as const, missing: question }
      answers.push({ ...echoed, Allow: explanation.allow, Explanation: showExplanation(explanation) })
    } else answers.push({ ...echoed, Allow: mayIn(holder, namespace, question) })
  }
  return answers
}

function shortSegment(segment: string): string {
  return shorten(segment, limits.EXPLAINED_SEGMENT_LENGTH_MAX)
}

/** `elsewhere`: the rights of the token do not apply in the namespace. */
type Path = DecisionExplanation['path'] | { readonly via: 'elsewhere' }

function showExplanation({
  rule,
  path,
  missing,
}: Pick<DecisionExplanation, 'rule' | 'missing'> & { path: Path }): Explanation {
  const Rule = rule && {
    ...{ PolicyID: rule.policyId, PolicyName: rule.policyName },
    Kind: rule.match === 'prefix' ? `${rule.kind}_prefix` : rule.kind,
    ...{ Segment: shortSegment(rule.segment), Level: rule.level, Line: rule.line },
  }
  const Segment = missing?.segment ? { Segment: shortSegment(missing.segment) } : {}
  return {
    ...(Rule ? { Rule } : {}),
    Path: showPath(path, rule?.policyName),
    ...(missing ? { Missing: { Resource: missing.resource, ...Segment, Access: missing.access } } : {}),
  }
}

function showPath(path: Path, policyName: string | undefined): string[] {
  if (path.via === 'elsewhere') return ['rights end at the namespace of the token']
  if (path.via === 'default') return ['default policy']
  if (path.via === 'unreadable') return [`rules that cannot be read: ${path.reason}`]
  const steps: string[] = []
  if (path.namespace !== undefined) steps.push(`defaults of namespace ${path.namespace}`)
  if (path.role) steps.push(`role ${path.role.name}`)
  if (path.via === 'policy') steps.push(`policy ${policyName ?? ''}`)
  else if (path.via === 'legacy-rules') steps.push('legacy rules of the token')
  else if (path.via === 'legacy-management') steps.push('legacy management token')
  else steps.push(`${path.via.replace('-', ' ')} ${path.identity ?? ''}`)
  return steps
}
