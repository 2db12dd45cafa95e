import { canonicalIp } from './ip-address.ts'
import type { NodeRecord, ServiceRecord } from './records/catalog-records.ts'

/** The nodes and instances by IP address, in catalog order. */
export class AddressIndex {
  private readonly nodesByIp: ReadonlyMap<string, readonly NodeRecord[]>
  private readonly servicesByIp: ReadonlyMap<string, readonly ServiceRecord[]>

  constructor(nodes: readonly NodeRecord[], services: readonly ServiceRecord[]) {
    this.nodesByIp = byAddress(nodes)
    this.servicesByIp = byAddress(services)
  }

  nodes(ip: string): readonly NodeRecord[] {
    return this.nodesByIp.get(canonicalIp(ip) ?? '') ?? []
  }

  services(ip: string): readonly ServiceRecord[] {
    return this.servicesByIp.get(canonicalIp(ip) ?? '') ?? []
  }
}

function byAddress<T extends { readonly Address: string }>(records: readonly T[]): Map<string, readonly T[]> {
  const known = new Map<string, T[]>()
  for (const record of records) {
    const ip = canonicalIp(record.Address)
    if (ip === undefined) continue
    const others = known.get(ip)
    if (others) others.push(record)
    else known.set(ip, [record])
  }
  return known
}
