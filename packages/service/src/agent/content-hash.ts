/**
 * The ContentHash of an agent's service, with the digits that existing agents answer: FNV-1 of 64 bits over the fields of
 * their records. The order of fields does not matter, the order of lists does. Decisions: agent.
 */
import type { AgentService } from '@latchkey/contract'

type Hash = (value: unknown) => bigint

export function contentHashOf({ Namespace: _ignored, ...service }: AgentService): string {
  return SERVICE(service).toString(16)
}

const UTF8 = new TextEncoder()

/** Computes with two halves of 32 bits, because configurations of proxies are long. The prime is 2^40 + 435. */
function fnv(bytes: Uint8Array): bigint {
  let high = 0xcbf29ce4
  let low = 0x84222325
  for (const byte of bytes) {
    const product = low * 435
    high = (Math.imul(high, 435) + (low << 8) + Math.floor(product / 0x1_0000_0000)) >>> 0
    low = ((product >>> 0) ^ byte) >>> 0
  }
  return (BigInt(high) << 32n) | BigInt(low)
}

function integers(...values: readonly bigint[]): bigint {
  return fnv(new Uint8Array(BigUint64Array.from(values).buffer))
}

const any: Hash = (value) => {
  switch (typeof value) {
    case 'string':
      return fnv(UTF8.encode(value))
    case 'boolean':
      return fnv(Uint8Array.of(Number(value)))
    case 'number':
      return fnv(new Uint8Array(Float64Array.of(value).buffer))
    default:
      if (!value) return integers(0n)
      return Array.isArray(value) ? list(any)(value) : map(any)(value)
  }
}
const text: Hash = (value) => any(value ?? '')
const flag: Hash = (value) => any(value ?? false)
const integer: Hash = (value) => integers(BigInt((value as number | undefined) ?? 0))

function list(of: Hash): Hash {
  return (value) => ((value ?? []) as unknown[]).reduce<bigint>((hash, one) => integers(hash, of(one)), 0n)
}

function map(of: Hash): Hash {
  return (value) =>
    Object.entries(value ?? {}).reduce((hash, [name, one]) => hash ^ integers(text(name), of(one)), 0n)
}

/** Absent fields count as empty. A field that is not listed counts if it is present, so the hash changes with it. */
function struct(name: string, fields: Readonly<Record<string, Hash>>): Hash {
  return (value) => {
    const given = (value ?? {}) as Readonly<Record<string, unknown>>
    const names = new Set([...Object.keys(fields), ...Object.keys(given)])
    return [...names].reduce((hash, field) => {
      const of = fields[field] ?? (given[field] === undefined ? undefined : any)
      return of ? hash ^ integers(text(field), of(given[field])) : hash
    }, text(name))
  }
}

function optional(of: Hash): Hash {
  return (value) => (value ? of(value) : integers(0n))
}

const MESH_GATEWAY = struct('MeshGatewayConfig', { Mode: text })
const UPSTREAM = struct('Upstream', {
  ...{ DestinationType: text, DestinationNamespace: text, DestinationName: text, Datacenter: text },
  ...{ LocalBindAddress: text, LocalBindPort: integer, Config: map(any), MeshGateway: MESH_GATEWAY },
})
const EXPOSED_PATH = struct('ExposePath', {
  ...{ ListenerPort: integer, Path: text, LocalPathPort: integer, Protocol: text, ParsedFromCheck: flag },
})
const PROXY = struct('AgentServiceConnectProxyConfig', {
  ...{ DestinationServiceName: text, DestinationServiceID: text },
  ...{ LocalServiceAddress: text, LocalServicePort: integer, Config: map(any), Upstreams: list(UPSTREAM) },
  MeshGateway: MESH_GATEWAY,
  Expose: struct('ExposeConfig', { Checks: flag, Paths: list(EXPOSED_PATH) }),
})
const SERVICE = struct('AgentService', {
  ...{ Kind: text, ID: text, Service: text, Tags: list(text), Meta: map(text), Port: integer, Address: text },
  TaggedAddresses: map(struct('ServiceAddress', { Address: text, Port: integer })),
  Weights: struct('AgentWeights', { Passing: integer, Warning: integer }),
  ...{ EnableTagOverride: flag, CreateIndex: integer, ModifyIndex: integer, ContentHash: text },
  Proxy: optional(PROXY),
  Connect: optional(struct('AgentServiceConnect', { Native: flag, SidecarService: optional(any) })),
})
