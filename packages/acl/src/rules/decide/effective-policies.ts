/** Which rule texts apply to a token in this datacenter. Decisions: rule language, legacy mode. */
import { limits } from '@latchkey/contract'
import { defaultsOf } from '../../global-management.ts'
import { hasLinks } from '../../links.ts'
import type {
  NamespaceRecord,
  PolicyRecord,
  RoleRecord,
  StoredLink,
  TokenRecord,
} from '../../records/records.ts'
import { globalManagementRules, nodeIdentityRules, serviceIdentityRules } from './generated-rules.ts'
import type { GrantPath, PolicySource } from './policy-source.ts'

/** The fields of a token that determine its rights. */
export type TokenLinks = Pick<
  TokenRecord,
  'Policies' | 'Roles' | 'ServiceIdentities' | 'NodeIdentities' | 'Rules' | 'Type'
> &
  Partial<Pick<TokenRecord, 'Namespace'>>

/** Resolves links; implemented by `Directory`. Dangling links have no effect. */
export interface LinkLookup {
  policy(id: string): PolicyRecord | undefined
  role(id: string): RoleRecord | undefined
  namespace?(name: string): NamespaceRecord | undefined
}

export interface EffectivePoliciesOptions {
  readonly datacenter: string
  /**
   * False from service version 1.11, which has no legacy system: the rules of an unconverted client token and the type
   * of a management token grant nothing. Default true.
   */
  readonly legacyRules?: boolean
}

/** Anything with links: a token, a role, or the defaults of a namespace. */
type Links = Partial<Pick<TokenRecord, 'Policies' | 'Roles' | 'ServiceIdentities' | 'NodeIdentities'>>

type PathStart = Pick<GrantPath, 'role' | 'namespace'>

/**
 * The rule texts that apply to a token in a datacenter, each once with the shortest path to it: from its own links, its
 * roles, the defaults of its namespace, its identities and its legacy rules. If they exceed RULES_OF_TOKEN_BYTES_MAX
 * together, the result is one unreadable source, which denies everything.
 */
export function effectivePolicies(
  token: TokenLinks,
  lookup: LinkLookup,
  options: EffectivePoliciesOptions,
): PolicySource[] {
  const gathered = new GatheredSources(lookup, options.datacenter)
  const namespace = lookup.namespace?.(token.Namespace ?? '')
  gathered.addLinks(token, {})
  gathered.addRoles(token.Roles, {})
  if (namespace !== undefined) {
    const start = { namespace: namespace.Name }
    const { policies, roles } = defaultsOf(namespace, lookup)
    gathered.addLinks({ Policies: policies }, start)
    gathered.addRoles(roles, start)
  }
  const legacy = legacySource(token, options)
  if (legacy !== undefined) gathered.add(legacy)
  return gathered.sources()
}

/** Collects sources in order of discovery, each once: a thousand roles may link the same thousand policies. */
class GatheredSources {
  private readonly lookup: LinkLookup
  private readonly datacenter: string
  private readonly found: PolicySource[] = []
  private readonly seen = {
    policies: new Set<PolicyRecord>(),
    services: new Set<string>(),
    nodes: new Set<string>(),
  }
  private bytes = 0

  constructor(lookup: LinkLookup, datacenter: string) {
    this.lookup = lookup
    this.datacenter = datacenter
  }

  sources(): PolicySource[] {
    return this.isFull() ? [TOO_LONG] : this.found
  }

  add(source: PolicySource): void {
    this.bytes += SOURCE_BYTES + source.text.length
    this.found.push(source)
  }

  addRoles(links: readonly StoredLink[], start: PathStart): void {
    for (const link of links) {
      const role = this.lookup.role(link.ID)
      if (role !== undefined) this.addLinks(role, { ...start, role: { id: role.ID, name: role.Name } })
    }
  }

  addLinks(links: Links, start: PathStart): void {
    const { policies, services, nodes } = this.seen
    for (const link of links.Policies ?? []) {
      const policy = this.lookup.policy(link.ID)
      if (policy === undefined || policies.has(policy) || this.isFull()) continue
      policies.add(policy)
      if (isValidIn(policy.Datacenters, this.datacenter)) this.add(policySource(policy, start))
    }
    for (const { ServiceName, Datacenters } of links.ServiceIdentities ?? []) {
      if (services.has(ServiceName) || !isValidIn(Datacenters, this.datacenter) || this.isFull()) continue
      services.add(ServiceName)
      this.add(identitySource('service-identity', ServiceName, start))
    }
    for (const { NodeName, Datacenter } of links.NodeIdentities ?? []) {
      if (nodes.has(NodeName) || Datacenter !== this.datacenter || this.isFull()) continue
      nodes.add(NodeName)
      this.add(identitySource('node-identity', NodeName, start))
    }
  }

  private isFull(): boolean {
    return this.bytes > limits.RULES_OF_TOKEN_BYTES_MAX
  }
}

const SOURCE_BYTES = 200

const TOO_LONG: PolicySource = {
  key: 'rules-too-long',
  policyId: '',
  policyName: '',
  path: { via: 'policy' },
  text: '',
  dialect: 'current',
  unreadable: `the rules of the token exceed ${limits.RULES_OF_TOKEN_BYTES_MAX} bytes together`,
}

/** An absent or empty list means everywhere. Spec 2.4. */
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

function identitySource(
  via: 'service-identity' | 'node-identity',
  name: string,
  start: PathStart,
): PolicySource {
  return {
    key: `${via}:${name}`,
    policyId: '',
    policyName: '',
    path: { ...start, via, identity: name },
    text: via === 'service-identity' ? serviceIdentityRules(name) : nodeIdentityRules(name),
    dialect: 'current',
  }
}

/** A management token may do everything; a client token's rules apply while it has no links. */
function legacySource(token: TokenLinks, options: EffectivePoliciesOptions): PolicySource | undefined {
  if (options.legacyRules === false) return undefined
  const shared = { policyId: '', policyName: '' }
  if (token.Type === 'management') {
    const path: GrantPath = { via: 'legacy-management' }
    return { ...shared, key: 'legacy-management', path, text: globalManagementRules(), dialect: 'current' }
  }
  if (token.Rules === '' || hasLinks(token)) return undefined
  const path: GrantPath = { via: 'legacy-rules' }
  return { ...shared, key: `legacy-rules:${token.Rules}`, path, text: token.Rules, dialect: 'legacy' }
}
