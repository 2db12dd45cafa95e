import type { NodeRecord, ServiceRecord } from '../records/catalog-records.ts'
import { canonicalIp } from './ip-address.ts'

/** The first node and the first instance with each IP address. */
export class AddressIndex {
  private readonly nodes: ReadonlyMap<string, NodeRecord>
  private readonly services: ReadonlyMap<string, ServiceRecord>

  constructor(nodes: readonly NodeRecord[], services: readonly ServiceRecord[]) {
    this.nodes = firstByAddress(nodes)
    this.services = firstByAddress(services)
  }

  node(ip: string): NodeRecord | undefined {
    return this.nodes.get(canonicalIp(ip) ?? '')
  }

  service(ip: string): ServiceRecord | undefined {
    return this.services.get(canonicalIp(ip) ?? '')
  }
}

function firstByAddress<T extends { readonly Address: string }>(records: readonly T[]): Map<string, T> {
  const first = new Map<string, T>()
  for (const record of records) {
    const ip = canonicalIp(record.Address)
    if (ip !== undefined && !first.has(ip)) first.set(ip, record)
  }
  return first
}
