/** Which rights would change if a policy had different rules: an extension. */
import type { Authorizer, Difference, Directory, LinkLookup, PolicyRecord, TokenRecord } from '@latchkey/acl'
import { effectivePolicies, parseRules, policyHash, RightsComparison } from '@latchkey/acl'
import { limits } from '@latchkey/contract'
import { AuthorizerCache } from '../caller/authorizer-cache.ts'
import { scanTokens } from '../decisions/who-can.ts'
import type { Content, Context, Handler } from '../handler.ts'
import { requireRecord } from '../records.ts'
import { pageOf } from '../reply/paging.ts'
import { showRight } from '../reply/show-right.ts'
import { readInTurn, type StepCounter, takeTurn } from '../turns.ts'
import { POLICIES } from './policies.ts'

/** Approximate characters of listed rights after which a page ends. */
const LISTED_LENGTH_MAX = 1_048_576

/** Lists the tokens whose rights would change if the policy had different rules. Changes nothing. */
export const whatIfHandler: Handler<'policies.whatIf'> = async (call) => {
  const { Rules } = call.body
  const policy = requireRecord(POLICIES, call, call.directory, call.params.ID)
  const comparison = await compareRules(call, policy.Rules, Rules)
  const after = {
    lookup: withRules(call.directory, policy, Rules),
    authorizers: new AuthorizerCache(AFTER_BYTES_MAX),
  }
  const page = pageOf(call.query) ?? { limit: limits.PAGE_LIMIT_MAX, after: undefined }
  let listedLength = 0
  const show = async (token: TokenRecord, counter: StepCounter): Promise<WhatIfChange | undefined> => {
    if (!hasPolicy(call, token, policy)) return undefined
    const { authorizer: before } = await call.callers.rightsOf(token, call.directory, counter)
    const change = await compareRights(call, token, { before, comparison, after, counter })
    if (change.gains.length + change.losses.length === 0) return undefined
    listedLength += lengthOf(change)
    return {
      AccessorID: token.AccessorID,
      Description: token.Description,
      Gains: change.gains.map(showRight),
      Losses: change.losses.map(showRight),
    }
  }
  return scanTokens(call, page, show, () => listedLength >= LISTED_LENGTH_MAX)
}

type WhatIfChange = Content<'policies.whatIf'>[number]

const AFTER_BYTES_MAX = 16_777_216

/** Each of the texts may take most of a turn. */
async function compareRules(call: Context, before: string, after: string): Promise<RightsComparison> {
  const old = await readInTurn(call, before, () => parseRules(before, { lenient: true }))
  const proposed = await readInTurn(call, after, () => parseRules(after))
  await takeTurn(call)
  return new RightsComparison(old, proposed)
}

/** Whether a token has a policy by any path; the rights of other tokens cannot change. */
function hasPolicy(call: Context, token: TokenRecord, { ID }: PolicyRecord): boolean {
  const { datacenter } = call.service
  const sources = effectivePolicies(token, call.directory, { datacenter })
  return sources.some((source) => source.policyId === ID)
}

interface Compared {
  readonly before: Authorizer
  readonly comparison: RightsComparison
  readonly after: { readonly lookup: LinkLookup; readonly authorizers: AuthorizerCache }
  readonly counter: StepCounter
}

async function compareRights(
  call: Context,
  token: TokenRecord,
  { before, comparison, after, counter }: Compared,
): Promise<Difference> {
  const { datacenter, defaultPolicy, profile } = call.service
  const legacyRules = profile.has('upgrade.legacyRules')
  const options = { datacenter, defaultPolicy, legacyRules }
  const { authorizer } = await after.authorizers.find(token, after.lookup, { ...options, counter })
  await counter.count(2 * comparison.size)
  return comparison.compare(before.policies, authorizer.policies)
}

function lengthOf({ gains, losses }: Difference): number {
  return [...gains, ...losses].reduce((length, { segment = '' }) => length + segment.length + 50, 0)
}

function withRules(directory: Directory, policy: PolicyRecord, Rules: string): LinkLookup {
  const changed = { ...policy, Rules, Hash: policyHash({ ...policy, Rules }) }
  return {
    policy: (id) => (id === policy.ID ? changed : directory.policy(id)),
    role: (id) => directory.role(id),
    namespace: (name) => directory.namespace(name),
  }
}
