/** The token that a login writes, or why it is refused. Decisions: login. */

import { AclError, formatInstant, parseDurationMs } from '@latchkey/contract'
import { bytesToHex } from '@noble/hashes/utils.js'
import { digestOf } from '../hash.ts'
import { normalizeNodeIdentities, normalizeServiceIdentities } from '../identities.ts'
import { hasLinks, type TokenLinks } from '../links.ts'
import { type Random, randomUuid } from '../ports.ts'
import { BLANK_TOKEN, type TokenRecord } from '../records/records.ts'
import { withTokenHash } from '../token/create-token.ts'
import type { LoginEvaluation } from './evaluate-login.ts'
import { type LoginMeta, loginDescription } from './login-description.ts'
import { loginRefused } from './login-refusal.ts'
import type { Claims } from './verifier.ts'

/** The token of a login without its ids, and the rules that contributed its links. */
interface LoginPlan
  extends TokenLinks,
    Pick<
      TokenRecord,
      | 'Description'
      | 'Local'
      | 'AuthMethod'
      | 'AuthMethodNamespace'
      | 'AuthMethodGeneration'
      | 'LoginIdentity'
      | 'CreateTime'
      | 'ExpirationTime'
      | 'Namespace'
    > {
  readonly ruleIds: readonly string[]
}

export interface LoginContext {
  readonly now: number
  readonly datacenter: string
  readonly meta?: LoginMeta
  readonly identity: string
}

/** Decides the token of a login. */
export function planLogin(evaluation: LoginEvaluation, context: LoginContext): LoginPlan {
  const { method, namespace, refusal, fault } = evaluation
  const { now, datacenter, identity, meta = {} } = context
  const description = loginDescription(meta, method.Type === 'oidc' ? 'oidc' : 'login')
  if (refusal !== undefined) throw loginRefused(refusal, fault && `claim ${fault.claim}`)
  const links = linksOf(evaluation, datacenter)
  if (!hasLinks(links)) throw new AclError('login_unbound', 'Permission denied')
  return {
    Description: description,
    ...links,
    Local: method.TokenLocality !== 'global',
    AuthMethod: method.Name,
    CreateTime: formatInstant(now),
    ExpirationTime:
      method.MaxTokenTTL === undefined
        ? undefined
        : formatInstant(now + Math.floor(parseDurationMs(method.MaxTokenTTL))),
    Namespace: namespace,
    AuthMethodNamespace: method.Namespace,
    AuthMethodGeneration: method.Generation,
    LoginIdentity: identity,
    ruleIds: evaluation.rules.flatMap(({ rule, result }) => (result.outcome === 'bound' ? [rule.ID] : [])),
  }
}

/** The union of the links of all rules, merged and sorted as in a created token. */
export function linksOf({ rules }: LoginEvaluation, datacenter: string): TokenLinks {
  const names = { service: new Set<string>(), node: new Set<string>() }
  const roleIds = new Set<string>()
  for (const { rule, result } of rules) {
    if (result.outcome !== 'bound') continue
    if (result.role !== undefined) roleIds.add(result.role.ID)
    else if (rule.BindType !== 'role') names[rule.BindType].add(result.name)
  }
  return {
    Policies: [],
    Roles: [...roleIds].map((ID) => ({ ID })),
    ServiceIdentities: normalizeServiceIdentities(
      [...names.service].map((ServiceName) => ({ ServiceName })),
      'token',
    ),
    NodeIdentities: normalizeNodeIdentities(
      [...names.node].map((NodeName) => ({ NodeName, Datacenter: datacenter })),
      'token',
    ),
  }
}

export function loginToken(plan: LoginPlan, random: Random): TokenRecord {
  const { ruleIds: _, ...fields } = plan
  return withTokenHash({
    ...BLANK_TOKEN,
    ...fields,
    AccessorID: randomUuid(random),
    SecretID: randomUuid(random),
  })
}

const LENGTH_MAX = 256
/** Length of the prefix that a longer identity keeps before its hash. */
const KEPT_LENGTH = 128

/**
 * The subject of verified claims, `sub`; empty if there is none. Kubernetes identifies an account as
 * `system:serviceaccount:namespace:name`. A longer subject is truncated and ends in its hash, so two subjects never
 * collide.
 */
export function loginIdentity(claims: Claims): string {
  const sub = Object.hasOwn(claims, 'sub') ? claims.sub : undefined
  if (typeof sub !== 'string') return ''
  const subject = sub.toWellFormed()
  if (subject.length <= LENGTH_MAX) return subject
  const hash = bytesToHex(digestOf(sub))
  return `${subject.slice(0, KEPT_LENGTH).toWellFormed()}…${hash}`
}
