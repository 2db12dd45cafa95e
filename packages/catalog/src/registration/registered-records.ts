/** Parses the services and checks of a registration. Decisions: catalog. */

import { DEFAULT_NAMESPACE, invalidField } from '@latchkey/acl'
import {
  AclError,
  type CheckRegistration,
  DurationSyntaxError,
  formatDurationMs,
  parseDurationMs,
  type ServiceRegistration,
} from '@latchkey/contract'
import { findProxyProblem } from '../connect.ts'
import type { CheckRecord, ServiceRecord } from '../records/catalog-records.ts'
import { findMetaProblem } from '../service-meta.ts'

const STAMPS = { CreateIndex: 0, ModifyIndex: 0 }
const WEIGHT_MAX = 65_535
/** Ports are stored as sent, up to the maximum of the stores. */
const PORT_MAX = 2_147_483_647
const ZERO_ADDRESSES: readonly string[] = ['0.0.0.0', '::', '[::]']

export function readService(body: ServiceRegistration, node: string, namespace: string): ServiceRecord {
  const { Service = '', ID = '', Address = '', Meta } = body
  if (Service === '') {
    const problem = ID === '' ? 'Must provide service name' : 'Must provide service name with ID'
    throw new AclError('field_required', problem, { field: 'Service.Service' })
  }
  if (ZERO_ADDRESSES.includes(Address)) throw invalidField('Service.Address', 'Invalid service address')
  checkPort(body.Port, 'Service.Port')
  const problem = Meta && findMetaProblem(Meta)
  if (problem !== undefined) {
    const where = `Invalid Service Meta for node ${node} and serviceID ${ID || Service}`
    throw invalidField('Service.Meta', `failed inserting service: ${where}: ${problem}`)
  }
  const record: ServiceRecord = {
    Node: node,
    ID: ID || Service,
    Service,
    Kind: body.Kind ?? '',
    Tags: body.Tags ?? [],
    Address,
    TaggedAddresses: taggedAddresses(body.TaggedAddresses ?? {}),
    Meta: Meta ?? null,
    Port: body.Port ?? 0,
    SocketPath: body.SocketPath ?? '',
    Weights: weights(body.Weights),
    EnableTagOverride: body.EnableTagOverride ?? false,
    Proxy: body.Proxy ?? {},
    Connect: body.Connect ?? {},
    ...STAMPS,
    Namespace: namespace,
  }
  const proxyProblem = findProxyProblem(record)
  if (proxyProblem !== undefined) throw invalidField('Service.Proxy', proxyProblem)
  return record
}

export function checkPort(port: number | undefined, field: string): void {
  if (port !== undefined && Math.abs(port) > PORT_MAX) throw invalidField(field, 'The port is out of range')
}

/** An absent weight is 0. If there are none or one is out of range, both are 1. */
function weights(given: ServiceRegistration['Weights']): ServiceRecord['Weights'] {
  const { Passing = 0, Warning = 0 } = given ?? {}
  const fits = Passing >= 1 && Warning >= 0 && Passing <= WEIGHT_MAX && Warning <= WEIGHT_MAX
  return fits ? { Passing, Warning } : { Passing: 1, Warning: 1 }
}

function taggedAddresses(
  given: NonNullable<ServiceRegistration['TaggedAddresses']>,
): ServiceRecord['TaggedAddresses'] {
  return Object.fromEntries(
    Object.entries(given).map(([tag, { Address = '', Port = 0 }]) => [tag, { Address, Port }]),
  )
}

export function readCheck(body: CheckRegistration, node: string, namespace: string): CheckRecord {
  const { Node = '', Name = '', CheckID = '', ServiceID = '' } = body
  const id = CheckID || Name
  if (Node !== '' && Node.toLowerCase() !== node.toLowerCase()) {
    const problem = `Node '${Node}' for check '${id}' doesn't match register request node '${node}'`
    throw invalidField('Check.Node', problem)
  }
  if (id === '') throw new AclError('field_required', 'Must provide check name', { field: 'Check.Name' })
  checkPort(body.ExposedPort, 'Check.ExposedPort')
  const definition = readDefinition(body.Definition ?? {})
  return {
    Node: node,
    CheckID: id,
    Name,
    Status: body.Status || 'critical',
    Notes: body.Notes ?? '',
    Output: body.Output ?? '',
    ServiceID,
    Type: body.Type || typeOf(definition),
    Interval: body.Interval ?? '',
    Timeout: body.Timeout ?? '',
    ExposedPort: body.ExposedPort ?? 0,
    Definition: definition,
    ...STAMPS,
    Namespace: ServiceID === '' ? DEFAULT_NAMESPACE : namespace,
  }
}

function typeOf({ HTTP, TCP }: CheckRecord['Definition']): string {
  if (HTTP !== undefined) return 'http'
  return TCP === undefined ? '' : 'tcp'
}

/** The stored keys of a definition other than durations, in the order of answers. Other keys are ignored. */
const KEPT = ['HTTP', 'TLSSkipVerify', 'Header', 'Method', 'Body', 'TCP'] as const
const DURATIONS = ['Interval', 'Timeout', 'DeregisterCriticalServiceAfter'] as const

/** Keeps only values that are set: empty texts, `false` and 0 are dropped. */
function readDefinition(given: NonNullable<CheckRegistration['Definition']>): CheckRecord['Definition'] {
  const kept: Record<string, unknown> = {}
  for (const name of DURATIONS) {
    const ms = durationMs(given[name], name)
    if (ms > 0) kept[name] = formatDurationMs(ms)
  }
  for (const name of KEPT) if (given[name]) kept[name] = given[name]
  return kept
}

const NS_PER_MS = 1e6

function durationMs(value: string | number | undefined, name: string): number {
  if (value === undefined || value === '') return 0
  if (typeof value === 'number') return value / NS_PER_MS
  try {
    return parseDurationMs(value)
  } catch (error) {
    if (!(error instanceof DurationSyntaxError)) throw error
    const field = `Check.Definition.${name}`
    throw new AclError('field_type', `${field} is not a duration`, { field })
  }
}
