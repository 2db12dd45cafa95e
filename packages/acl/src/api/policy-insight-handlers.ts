/** What a policy's rules are, and would be, worth: lint and what-if. Extensions. */
import { limits, lintRequestSchema, whatIfRequestSchema } from '@latchkey/contract'
import { policyHash } from '../hash.ts'
import { checkPathId } from '../ids.ts'
import { type AuthorizerCache, createAuthorizerCache } from '../rules/authorizer-cache.ts'
import { effectivePolicies, type LinkLookup } from '../rules/effective-policies.ts'
import { lintRules } from '../rules/lint-rules.ts'
import { parseRules } from '../rules/parse-rules.ts'
import type { Question } from '../rules/question.ts'
import { type RightsChange, RightsComparison, whatIf } from '../rules/what-if.ts'
import type { PolicyRecord, TokenRecord } from '../store/records.ts'
import { collectTokens } from './authorize-handlers.ts'
import { type Answer, type Call, decode, json } from './call.ts'
import { pageOf } from './paging.ts'
import { requirePolicy } from './policy-handlers.ts'

/** Faults and surprises of a rule text. A text that cannot be read is a finding, not a refusal. */
export function lintHandler(call: Call): Answer {
  const { Rules } = decode(call, lintRequestSchema)
  return json(
    lintRules(Rules).map(({ code, severity, message, line, column }) => ({
      Code: code,
      Severity: severity,
      Message: message,
      Line: line,
      Column: column,
    })),
  )
}

/** Ends a page of what-if, with the token that reaches it: characters of listed rights, about. */
const LISTED_LENGTH_MAX = 1_048_576
/** The same: decisions and joined rules, about a second. */
const COMPARISON_WORK_MAX = 1_000_000

/** The tokens whose rights would change if the policy had other rules. Nothing is changed. */
export function whatIfHandler(call: Call): Promise<Answer> {
  const id = call.params.ID ?? ''
  checkPathId(id, 'policy', 'ID')
  const { Rules } = decode(call, whatIfRequestSchema)
  const policy = requirePolicy(call, call.directory, id)
  const comparison = new RightsComparison(parseRules(policy.Rules, { lenient: true }), parseRules(Rules))
  const after = {
    lookup: withRules(call.directory, policy, Rules),
    authorizers: createAuthorizerCache({ maxEntries: 1_000 }),
  }
  const page = pageOf(call.query) ?? { limit: limits.PAGE_LIMIT_MAX, after: undefined }
  let listedLength = 0
  const isFull = () => listedLength >= LISTED_LENGTH_MAX || comparison.workDone >= COMPARISON_WORK_MAX
  const show = (token: TokenRecord) => {
    const [change] = whatIf([token], comparison, () => rightsOf(call, token, policy, after))
    if (!change) return undefined
    listedLength += lengthOf(change)
    return {
      AccessorID: token.AccessorID,
      Description: token.Description,
      Gains: change.gains.map(showRight),
      Losses: change.losses.map(showRight),
    }
  }
  return collectTokens(call, page, { show, isFull })
}

/** About how long the rights of a change are as JSON. */
function lengthOf({ gains, losses }: RightsChange<unknown>): number {
  return [...gains, ...losses].reduce((length, { segment = '' }) => length + segment.length + 50, 0)
}

/** The directory as it would be. */
function withRules(directory: Call['directory'], policy: PolicyRecord, Rules: string): LinkLookup {
  const changed = { ...policy, Rules, Hash: policyHash({ ...policy, Rules }) }
  return {
    policy: (id) => (id === policy.ID ? changed : directory.policy(id)),
    role: (id) => directory.role(id),
    namespace: (name) => directory.namespace(name),
  }
}

/** Of a token that has the policy, by whatever way; the others cannot change. */
function rightsOf(
  call: Call,
  token: TokenRecord,
  policy: PolicyRecord,
  after: { readonly lookup: LinkLookup; readonly authorizers: AuthorizerCache },
) {
  const { datacenter, defaultPolicy, profile } = call.api
  const legacyRules = profile.has('upgrade.legacyRules')
  const has = effectivePolicies(token, call.directory, { datacenter }).some(
    (source) => source.policyId === policy.ID,
  )
  if (!has) return undefined
  return {
    before: call.callers.rightsOf(token, call.directory).authorizer,
    after: after.authorizers.authorizerOf(token, after.lookup, { datacenter, defaultPolicy, legacyRules }),
  }
}

function showRight({ resource, segment, access }: Question) {
  return { Resource: resource, ...(segment === undefined ? {} : { Segment: segment }), Access: access }
}
