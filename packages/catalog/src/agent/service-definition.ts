/** Converts a client's service definition to the record that an agent registers. Spec 9.4; decisions: agent. */

import { invalidField } from '@latchkey/acl'
import { AclError, type ServiceDefinition } from '@latchkey/contract'
import { findProxyProblem } from '../connect.ts'
import { canonicalIp, isIpv4 } from '../ip-address.ts'
import type { ServiceRecord } from '../records/catalog-records.ts'
import { checkPort } from '../registration/registered-records.ts'
import { findMetaProblem } from '../service-meta.ts'
import { type DefinedCheck, readServiceChecks } from './check-definition.ts'

export interface DefinedService {
  readonly service: Omit<ServiceRecord, 'Node' | 'Namespace' | 'CreateIndex' | 'ModifyIndex'>
  readonly checks: readonly DefinedCheck[]
}

/** Highest weight that a DNS record can have. */
const WEIGHT_MAX = 65_535
const NO_ADDRESSES: readonly string[] = ['0.0.0.0', '::', '[::]']

/** Reads the definition of a service and of its checks. */
export function readServiceDefinition(body: ServiceDefinition): DefinedService {
  const { Name = '', Address = '', Port = 0, Meta = {} } = body
  if (Name === '') throw new AclError('field_required', 'Missing service name', { field: 'Name' })
  if (NO_ADDRESSES.includes(Address)) throw invalidField('Address', 'Invalid service address')
  checkPort(Port, 'Port')
  const metaProblem = findMetaProblem(Meta)
  if (metaProblem !== undefined) throw invalidField('Meta', `Invalid Service Meta: ${metaProblem}`)
  const service = {
    ID: body.ID || Name,
    Service: Name,
    Kind: body.Kind ?? '',
    Tags: body.Tags ?? [],
    Address,
    TaggedAddresses: taggedAddressesOf(body, Address, Port),
    Meta: Object.keys(Meta).length > 0 ? Meta : null,
    Port,
    SocketPath: body.SocketPath ?? '',
    Weights: weightsOf(body),
    EnableTagOverride: body.EnableTagOverride ?? false,
    Proxy: body.Proxy ?? {},
    Connect: body.Connect ?? {},
  }
  const proxyProblem = findProxyProblem(service)
  if (proxyProblem !== undefined) throw invalidField('Proxy', proxyProblem)
  const checks = [...(body.Check && hasContent(body.Check) ? [body.Check] : []), ...(body.Checks ?? [])]
  return { service, checks: readServiceChecks(checks, service) }
}

/** Whether a check was given; an empty object is ignored. */
function hasContent(check: object): boolean {
  return Object.keys(check).length > 0
}

function weightsOf({ Weights }: ServiceDefinition): ServiceRecord['Weights'] {
  if (!Weights) return { Passing: 1, Warning: 1 }
  const { Passing = 0, Warning = 0 } = Weights
  const problem =
    Passing < 1
      ? 'Passing must be greater than 0'
      : Warning < 0
        ? 'Warning must be greater or equal than 0'
        : Math.max(Passing, Warning) > WEIGHT_MAX
          ? `DNS Weight must be between 0 and ${WEIGHT_MAX}`
          : undefined
  if (problem !== undefined) throw invalidField('Weights', `Invalid Weights: ${problem}`)
  return { Passing, Warning }
}

const FAMILIES = { lan_ipv4: 4, wan_ipv4: 4, lan_ipv6: 6, wan_ipv6: 6 } as const

/** An IP address is also the LAN and WAN address, unless tagged addresses are given. */
function taggedAddressesOf(
  { TaggedAddresses = {} }: ServiceDefinition,
  address: string,
  port: number,
): ServiceRecord['TaggedAddresses'] {
  const tagged: Record<string, { readonly Address: string; readonly Port: number }> = {}
  for (const [tag, given] of Object.entries(TaggedAddresses)) {
    const entry = { Address: given.Address ?? '', Port: given.Port ?? 0 }
    const family = FAMILIES[tag as keyof typeof FAMILIES]
    if (family !== undefined && familyOf(entry.Address) !== family) {
      const field = `TaggedAddresses.${tag}`
      throw invalidField(field, `Service tagged address "${tag}" must be a valid ipv${family} address`)
    }
    tagged[tag] = entry
  }
  const family = familyOf(address)
  for (const tag of Object.keys(FAMILIES) as (keyof typeof FAMILIES)[]) {
    if (FAMILIES[tag] === family) tagged[tag] ??= { Address: address, Port: port }
  }
  return tagged
}

function familyOf(address: string): 4 | 6 | undefined {
  const canonical = canonicalIp(address)
  if (canonical === undefined) return undefined
  return isIpv4(canonical) ? 4 : 6
}
