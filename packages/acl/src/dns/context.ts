/** What a DNS answer depends on besides the question. */
import type { ServiceProfile } from '@latchkey/contract'
import type { Catalog } from '../catalog/catalog.ts'
import type { NodeRecord } from '../records/catalog-records.ts'
import type { DnsQuestion, DnsRecord, ZoneRecord } from './message.ts'

/** How names are answered; the server reads it from its configuration. */
export interface DnsSettings {
  /** The domains that are answered for, in lower case and without dots at the ends; the first is the usual one. */
  readonly domains: readonly string[]
  readonly nodeTtlSeconds: number
  readonly serviceTtlSeconds: number
  /** Whether instances with a warning are left out, too. */
  readonly onlyPassing: boolean
  /** Maximum addresses of one service in an answer; 0 for no limit. */
  readonly addressesMax: number
  /** Whether answers carry the metadata of nodes beside their addresses. */
  readonly nodeMetadata: boolean
  /** Whether answers follow the RFCs where existing services do not. Decisions: dns. */
  readonly isStrict: boolean
}

/** What the token of DNS may read. */
export interface DnsRights {
  node(name: string): boolean
  service(name: string, namespace: string): boolean
}

export interface DnsContext {
  readonly catalog: Catalog
  readonly rights: DnsRights
  readonly settings: DnsSettings
  readonly profile: ServiceProfile
  readonly datacenter: string
  readonly hasNamespaces: boolean
  /** The service whose instances are the servers themselves. */
  readonly serverService: string
  /** As many records as the client can take: of a large service, no more instances are looked at than needed. */
  readonly recordsMax: number
  /** In milliseconds. */
  readonly now: number
  /** Draws from a list in random order. */
  readonly shuffle: <T>(list: readonly T[]) => Iterable<T>
}

/** A question about a name in one of the domains. */
export interface Asked extends DnsContext {
  readonly question: DnsQuestion
  readonly domain: string
  readonly zone: ZoneRecord
  /** Addresses of a name, if it is in one of the domains. */
  readonly follow: (host: string) => readonly DnsRecord[]
}

/** A node that exists and may be read. */
export function readableNode({ catalog, rights }: DnsContext, name: string): NodeRecord | undefined {
  const node = catalog.node(name) ?? (name === '' ? undefined : catalog.nodeById(name))
  return node && rights.node(node.Node) ? node : undefined
}

/** `<node>.node.<datacenter>.<domain>` */
export function nameOfNode({ Node }: NodeRecord, { datacenter, domain }: Asked): string {
  return `${Node}.node.${datacenter}.${domain}`
}
