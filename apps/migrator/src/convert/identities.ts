/** Recognizes rule sets that are a node or service identity but for reach, and knows what the identity leaves out. */
import { isIdentityName, type Question } from '@latchkey/acl'
import type { CanonicalRule } from './rules/canonical-rules.ts'

interface OwnRule {
  readonly kind: 'node' | 'service'
  readonly name: string
}

/** The rules beside `kind "name" write` that the identity gives as well; an agent may also have its own `agent` rule. */
const OTHERS: Readonly<Record<OwnRule['kind'], string>> = {
  node: 'service::read',
  service: 'node::read service::read',
}

/** The node or service whose identity these rules are, apart from longer names and rights on its agent. */
function ownRule(rules: readonly CanonicalRule[]): OwnRule | undefined {
  if (rules.some(({ intentions }) => intentions !== undefined)) return undefined
  for (const kind of ['node', 'service'] as const) {
    const own = rules.find((rule) => rule.kind === kind && rule.level === 'write')
    if (own === undefined || !isIdentityName(own.segment)) continue
    const isOfAgent = ({ kind: other, segment, level }: CanonicalRule) =>
      kind === 'node' && other === 'agent' && segment === own.segment && level !== 'deny'
    const others = rules
      .filter((rule) => rule !== own && !isOfAgent(rule))
      .map(({ kind: other, segment, level }) => `${other}:${segment}:${level}`)
    if (others.join(' ') === OTHERS[kind]) return { kind, name: own.segment }
  }
  return undefined
}

/** The nodes and services of a cluster, from answers of its catalog. */
export class Catalog {
  private readonly names = { node: new Set<string>(), service: new Set<string>() }
  private readonly datacenters = new Set<string>()

  /** @param record a node, or an object from services to their tags. @returns false if it is neither. */
  add(record: object): boolean {
    const { Node, Datacenter } = record as Readonly<Record<string, unknown>>
    if (typeof Node === 'string' && typeof Datacenter === 'string') {
      this.names.node.add(Node)
      this.datacenters.add(Datacenter)
      return true
    }
    if (!Object.values(record).every(Array.isArray)) return false
    for (const name of Object.keys(record)) this.names.service.add(name)
    return true
  }

  has({ kind, name }: OwnRule): boolean {
    return this.names[kind].has(name)
  }

  /** A service identity covers the sidecar proxy, too. */
  longerNames({ kind, name }: OwnRule): readonly string[] {
    const covered = kind === 'service' ? [name, `${name}-sidecar-proxy`] : [name]
    return [...this.names[kind]].filter((each) => each.startsWith(name) && !covered.includes(each))
  }

  linksOf({ kind, name }: OwnRule): IdentityLinks {
    return kind === 'service'
      ? { serviceIdentities: [{ ServiceName: name }], nodeIdentities: [] }
      : {
          serviceIdentities: [],
          nodeIdentities: [...this.datacenters].map((Datacenter) => ({ NodeName: name, Datacenter })),
        }
  }
}

export interface IdentityLinks {
  readonly serviceIdentities: readonly { readonly ServiceName: string }[]
  readonly nodeIdentities: readonly { readonly NodeName: string; readonly Datacenter: string }[]
}

export const NO_IDENTITIES: IdentityLinks = { serviceIdentities: [], nodeIdentities: [] }

/**
 * The identity of each group whose rules are one. Its name is in the catalog, and each longer name there has rules of
 * its own: otherwise the rules may be meant as a prefix, and the group keeps them.
 */
export class Identities {
  private readonly own = new Map<readonly CanonicalRule[], OwnRule>()
  private readonly names: ReadonlySet<string>
  private readonly catalog: Catalog | undefined
  /** Groups whose rules have the form of an identity but become a policy. */
  left = 0

  constructor(groups: readonly (readonly CanonicalRule[])[], catalog: Catalog | undefined) {
    this.catalog = catalog
    for (const rules of groups) {
      const own = ownRule(rules)
      if (own !== undefined) this.own.set(rules, own)
    }
    this.names = new Set([...this.own.values()].map(keyOf))
  }

  of(rules: readonly CanonicalRule[]): IdentityLinks {
    const { catalog } = this
    const own = this.own.get(rules)
    if (own === undefined) return NO_IDENTITIES
    const isOne =
      catalog?.has(own) === true &&
      catalog.longerNames(own).every((name) => this.names.has(keyOf({ ...own, name })))
    if (isOne) return catalog.linksOf(own)
    this.left += 1
    return NO_IDENTITIES
  }
}

function keyOf({ kind, name }: OwnRule): string {
  return `${kind} ${name}`
}

export function hasIdentity({ serviceIdentities, nodeIdentities }: IdentityLinks): boolean {
  return serviceIdentities.length + nodeIdentities.length > 0
}

/** Whether an identity leaves out this right: on a longer name, or on the agent of the node. */
export function isLeftOut({ serviceIdentities, nodeIdentities }: IdentityLinks, question: Question): boolean {
  const { resource, segment = '' } = question
  const [service] = serviceIdentities
  const [node] = nodeIdentities
  if (resource === 'service') {
    const name = service?.ServiceName
    return name !== undefined && segment !== name && segment.startsWith(name)
  }
  const name = node?.NodeName
  if (name === undefined || !segment.startsWith(name)) return false
  return resource === 'agent' || (resource === 'node' && segment !== name)
}
