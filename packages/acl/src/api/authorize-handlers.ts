/** Decisions for applications: authorize, explain, who can. Reference 5.8; the rest are extensions. */
import {
  AclError,
  type AuthorizeAnswer,
  type AuthorizeCheck,
  authorizeRequestSchema,
  decodeValue,
  type Explanation,
  limits,
  whoCanRequestSchema,
} from '@latchkey/contract'
import { checkPathId } from '../ids.ts'
import type { Authorizer, DecisionExplanation } from '../rules/authorizer.ts'
import { parseQuestion, type Question } from '../rules/question.ts'
import { whoCan } from '../rules/who-can.ts'
import type { TokenRecord } from '../store/records.ts'
import { isExpired } from '../token/expiration.ts'
import { type Answer, type Call, decode, decodeOptions, json, notFound, readJson } from './call.ts'
import { callerUnknown, requireRight } from './caller.ts'
import { formatCursor, type Page, pageOf } from './paging.ts'
import { findToken } from './token-handlers.ts'

/** Up to 64 checks in one call. An empty list is answered without a look at the token. Reference 5.8. */
export async function authorizeHandler(call: Call): Promise<Answer> {
  const list = readJson(call) ?? []
  if (Array.isArray(list) && list.length === 0) return json([])
  if (Array.isArray(list) && list.length > limits.AUTHORIZE_CHECKS_MAX) {
    throw new AclError(
      'batch_too_large',
      `Refusing to process more than ${limits.AUTHORIZE_CHECKS_MAX} authorizations at once: this call has ${list.length}`,
    )
  }
  const checks = decodeValue(authorizeRequestSchema, list, decodeOptions(call.api.profile))
  const questions = checks.map((check, i) => parseQuestion(check, `[${i}]`))
  if (call.caller.unknown) throw callerUnknown()
  const authorizer = await authorizerAsked(call)
  const explain = call.query.has('explain')
  return json(checks.map((check, i) => answerCheck(check, questions[i], authorizer, explain)))
}

/** The caller's own rights, or another token's for a caller that may read tokens. */
async function authorizerAsked(call: Call): Promise<Authorizer> {
  const accessorId = call.query.get('accessor')
  if (accessorId === undefined) return call.caller.authorizer
  checkPathId(accessorId, 'token', 'accessor')
  if (accessorId.toLowerCase() === call.caller.token.AccessorID.toLowerCase()) return call.caller.authorizer
  requireRight(call.caller, call.namespace, { resource: 'acl', access: 'read' })
  const token = await findToken(call, accessorId)
  if (!token) throw notFound('Requested token')
  return call.callers.rightsOf(token, call.directory).authorizer
}

function answerCheck(
  check: AuthorizeCheck,
  question: Question | undefined,
  authorizer: Authorizer,
  explain: boolean,
): AuthorizeAnswer {
  const { Resource, Segment, Access } = check
  const echoed = { Resource, ...(Segment ? { Segment } : {}), Access }
  if (!question) return { ...echoed, Allow: false }
  if (!explain) return { ...echoed, Allow: authorizer.decide(question) }
  const explanation = authorizer.explain(question)
  return { ...echoed, Allow: explanation.allow, Explanation: showExplanation(explanation) }
}

function showExplanation({ rule, path, missing }: DecisionExplanation): Explanation {
  return {
    ...(rule
      ? {
          Rule: {
            PolicyID: rule.policyId,
            PolicyName: rule.policyName,
            Kind: rule.match === 'prefix' ? `${rule.kind}_prefix` : rule.kind,
            Segment: rule.segment,
            Level: rule.level,
            Line: rule.line,
          },
        }
      : {}),
    Path: showPath(path, rule?.policyName),
    ...(missing
      ? {
          Missing: {
            Resource: missing.resource,
            ...(missing.segment ? { Segment: missing.segment } : {}),
            Access: missing.access,
          },
        }
      : {}),
  }
}

function showPath(path: DecisionExplanation['path'], policyName: string | undefined): string[] {
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

/** Which tokens may do this? In pages, in the order of the list. */
export async function whoCanHandler(call: Call): Promise<Answer> {
  const question = parseQuestion(decode(call, whoCanRequestSchema))
  const page = pageOf(call.query) ?? { limit: limits.PAGE_LIMIT_MAX, after: undefined }
  const show = (token: TokenRecord) => {
    const [allowed] = whoCan([token], question, () => call.callers.rightsOf(token, call.directory).authorizer)
    if (!allowed) return undefined
    return { AccessorID: token.AccessorID, Description: token.Description }
  }
  return collectTokens(call, page, { show })
}

interface Collector<T> {
  /** What is shown of a token; undefined where it does not belong to the answer. */
  readonly show: (token: TokenRecord) => T | undefined
  /** Whether the page ends here, before its limit. */
  readonly isFull?: () => boolean
}

/**
 * Walks the tokens of the namespace from a place in the list, keeps what `show` makes of them, up to a page.
 * At most {@link TOKENS_LOOKED_AT_MAX} are looked at in one call; the cursor leads on.
 */
export async function collectTokens<T>(
  call: Call,
  page: Page,
  { show, isFull = () => false }: Collector<T>,
): Promise<Answer> {
  const kept: T[] = []
  let last: TokenRecord | undefined
  let looked = 0
  const filter = {
    ...(call.api.edition === 'extended' ? { namespace: call.namespace } : {}),
    ...(page.after ? { after: page.after } : {}),
    limit: TOKENS_LOOKED_AT_MAX,
  }
  const isEnd = () => kept.length >= page.limit || isFull()
  const next = () => {
    const isMore = isEnd() || looked >= TOKENS_LOOKED_AT_MAX
    if (!isMore || !last) return {}
    const cursor = formatCursor(call.api.store.placeOf(last))
    return { headers: { [call.family.nextCursor]: cursor } }
  }
  for await (const tokens of call.api.store.tokens(filter)) {
    for (const token of tokens) {
      looked += 1
      last = token
      const shown = isExpired(token, call.now) ? undefined : show(token)
      if (shown !== undefined) kept.push(shown)
      if (isEnd()) return { ...json(kept), ...next() }
    }
  }
  return { ...json(kept), ...next() }
}

/** Bounds the work of one call. */
const TOKENS_LOOKED_AT_MAX = 10_000
