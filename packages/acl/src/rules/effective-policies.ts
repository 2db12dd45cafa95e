/** Which rule texts act on a token, here. Reference 6.3; upgrade reference 3.1. */
import type { NodeIdentity, ServiceIdentity } from '@latchkey/contract'
import type { NamespaceRecord, PolicyRecord, RoleRecord, StoredLink, TokenRecord } from '../store/records.ts'
import { globalManagementRules, nodeIdentityRules, serviceIdentityRules } from './generated-rules.ts'
import type { GrantPath, PolicySource } from './policy-source.ts'

/** What of a token decides its rights. */
export type TokenLinks = Pick<
  TokenRecord,
  'Policies' | 'Roles' | 'ServiceIdentities' | 'NodeIdentities' | 'Rules' | 'Type'
> &
  Partial<Pick<TokenRecord, 'Namespace'>>

/** Where links lead; a `Directory` is one. What is not found does not act. */
export interface LinkLookup {
  policy(id: string): PolicyRecord | undefined
  role(id: string): RoleRecord | undefined
  namespace?(name: string): NamespaceRecord | undefined
}

export interface EffectivePoliciesOptions {
  readonly datacenter: string
  /**
   * False when speaking as 1.11 or above, where the legacy system is gone: neither the rules of an unconverted client
   * token nor the type of a management token count, only links do. Default true.
   */
  readonly legacyRules?: boolean
}

/** Anything with links: a token, a role, the defaults of a namespace. */
type Links = Partial<Pick<TokenRecord, 'Policies' | 'Roles' | 'ServiceIdentities' | 'NodeIdentities'>>

/** A way to links, without the last step. */
type PathStart = Pick<GrantPath, 'role' | 'namespace'>

/**
 * The texts that act on a token in a datacenter, each once, by the shortest way to it: its own links, its roles, the
 * defaults of its namespace, the synthetic policies of identities, legacy rules.
 */
export function effectivePolicies(
  token: TokenLinks,
  lookup: LinkLookup,
  options: EffectivePoliciesOptions,
): PolicySource[] {
  const sources = new Map<string, PolicySource>()
  for (const source of allSources(token, lookup, options)) {
    if (!sources.has(source.key)) sources.set(source.key, source)
  }
  return [...sources.values()]
}

/**
 * The same links, but with one policy as given: what would be, were it stored.
 *
 * @param policy with the Hash of its own content, so that nothing compiled for the stored one stands for it.
 */
export function withPolicy(lookup: LinkLookup, policy: PolicyRecord): LinkLookup {
  return {
    policy: (id) => (id.toLowerCase() === policy.ID.toLowerCase() ? policy : lookup.policy(id)),
    role: (id) => lookup.role(id),
    namespace: (name) => lookup.namespace?.(name),
  }
}

function* allSources(
  token: TokenLinks,
  lookup: LinkLookup,
  options: EffectivePoliciesOptions,
): Generator<PolicySource> {
  const namespace = lookup.namespace?.(token.Namespace ?? '')
  yield* linkedSources(token, lookup, options.datacenter, {})
  yield* roleSources(token.Roles, lookup, options.datacenter, {})
  if (namespace !== undefined) {
    const start = { namespace: namespace.Name }
    yield* linkedSources({ Policies: namespace.PolicyDefaults }, lookup, options.datacenter, start)
    yield* roleSources(namespace.RoleDefaults, lookup, options.datacenter, start)
  }
  yield* legacySources(token, options)
}

function* roleSources(
  links: readonly StoredLink[],
  lookup: LinkLookup,
  datacenter: string,
  start: PathStart,
): Generator<PolicySource> {
  for (const link of links) {
    const role = lookup.role(link.ID)
    if (role !== undefined) {
      yield* linkedSources(role, lookup, datacenter, { ...start, role: { id: role.ID, name: role.Name } })
    }
  }
}

function* linkedSources(
  links: Links,
  lookup: LinkLookup,
  datacenter: string,
  start: PathStart,
): Generator<PolicySource> {
  for (const link of links.Policies ?? []) {
    const policy = lookup.policy(link.ID)
    if (policy !== undefined && isValidIn(policy.Datacenters, datacenter)) yield policySource(policy, start)
  }
  for (const identity of links.ServiceIdentities ?? []) {
    if (isValidIn(identity.Datacenters, datacenter)) yield serviceIdentitySource(identity, start)
  }
  for (const identity of links.NodeIdentities ?? []) {
    if (identity.Datacenter === datacenter) yield nodeIdentitySource(identity, start)
  }
}

/** No list, and an empty one, mean everywhere. Spec 2.4. */
function isValidIn(datacenters: readonly string[] | undefined, datacenter: string): boolean {
  return datacenters === undefined || datacenters.length === 0 || datacenters.includes(datacenter)
}

function policySource(policy: PolicyRecord, start: PathStart): PolicySource {
  return {
    key: `policy:${policy.ID}@${policy.ModifyIndex}:${policy.Hash}`,
    policyId: policy.ID,
    policyName: policy.Name,
    path: { ...start, via: 'policy' },
    text: policy.Rules,
    dialect: 'current',
  }
}

function serviceIdentitySource({ ServiceName }: ServiceIdentity, start: PathStart): PolicySource {
  return {
    key: `service-identity:${ServiceName}`,
    policyId: '',
    policyName: '',
    path: { ...start, via: 'service-identity', identity: ServiceName },
    text: serviceIdentityRules(ServiceName),
    dialect: 'current',
  }
}

function nodeIdentitySource({ NodeName }: NodeIdentity, start: PathStart): PolicySource {
  return {
    key: `node-identity:${NodeName}`,
    policyId: '',
    policyName: '',
    path: { ...start, via: 'node-identity', identity: NodeName },
    text: nodeIdentityRules(NodeName),
    dialect: 'current',
  }
}

/** A management token may do everything; a client token's rules count while it has no link of its own. */
function* legacySources(token: TokenLinks, options: EffectivePoliciesOptions): Generator<PolicySource> {
  if (options.legacyRules === false) return
  const shared = { policyId: '', policyName: '' }
  if (token.Type === 'management') {
    const path: GrantPath = { via: 'legacy-management' }
    yield { ...shared, key: 'legacy-management', path, text: globalManagementRules(), dialect: 'current' }
    return
  }
  if (token.Rules === '' || hasLinks(token)) return
  const path: GrantPath = { via: 'legacy-rules' }
  yield { ...shared, key: `legacy-rules:${token.Rules}`, path, text: token.Rules, dialect: 'legacy' }
}

function hasLinks(token: TokenLinks): boolean {
  const { Policies, Roles, ServiceIdentities, NodeIdentities } = token
  return [Policies, Roles, ServiceIdentities, NodeIdentities].some((links) => links.length > 0)
}
