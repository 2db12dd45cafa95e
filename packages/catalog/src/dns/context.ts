/** The inputs of a DNS answer other than the question. */
import type { ServiceProfile } from '@latchkey/contract'
import type { Catalog } from '../catalog.ts'
import type { NodeRecord } from '../records/catalog-records.ts'
import type { DnsQuestion, DnsRecord, ZoneRecord } from './message.ts'

export interface DnsSettings {
  /**
   * The domains that are served, in lower case and without leading or trailing dots; the first is the primary domain.
   */
  readonly domains: readonly string[]
  readonly ttlSeconds: number
  /** Whether instances with a warning are also left out. */
  readonly onlyPassing: boolean
}

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
  /** The name of the service that represents the servers. */
  readonly serverService: string
  /** Maximum records that the client can accept. No more instances of a large service are examined than needed. */
  readonly recordsMax: number
  readonly now: number
  readonly shuffle: <T>(list: readonly T[]) => Iterable<T>
}

export interface Asked extends DnsContext {
  readonly question: DnsQuestion
  readonly domain: string
  readonly zone: ZoneRecord
  readonly follow: (host: string) => readonly DnsRecord[]
}

/** A node that exists and that the token may read. */
export function readableNode({ catalog, rights }: DnsContext, name: string): NodeRecord | undefined {
  const node = catalog.node(name) ?? (name === '' ? undefined : catalog.nodeById(name))
  return node && rights.node(node.Node) ? node : undefined
}

/** `<node>.node.<datacenter>.<domain>` */
export function nameOfNode({ Node }: NodeRecord, { datacenter, domain }: Asked): string {
  return `${Node}.node.${datacenter}.${domain}`
}
