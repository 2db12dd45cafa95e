/**
 * Records of the catalog: what is registered in this datacenter alone. Spelled and shaped as on the wire; what follows from
 * another record (the datacenter, the name and the tags of a check's service) is not kept.
 */
import type { ServiceAddress, Weights } from '@latchkey/contract'
import type { AgentCheck } from '../agent/check-definition.ts'

type Words = Readonly<Record<string, string>>
type JsonObject = Readonly<Record<string, unknown>>

export interface NodeRecord {
  /** A UUID in lower case, or empty. */
  readonly ID: string
  /** As it was last written; unique without case. */
  readonly Node: string
  readonly Address: string
  /** `null`: none were given. */
  readonly TaggedAddresses: Words | null
  readonly Meta: Words | null
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** A service on a node: an instance of the service of that name. */
export interface ServiceRecord {
  readonly Node: string
  /** Unique on the node, in its namespace, without case. */
  readonly ID: string
  readonly Service: string
  /** Empty for a typical service. */
  readonly Kind: string
  readonly Tags: readonly string[]
  /** Empty: that of the node. */
  readonly Address: string
  readonly TaggedAddresses: Readonly<Record<string, Readonly<ServiceAddress>>>
  readonly Meta: Words | null
  readonly Port: number
  readonly SocketPath: string
  readonly Weights: Readonly<Weights>
  readonly EnableTagOverride: boolean
  /** Without keys that were not given. */
  readonly Proxy: JsonObject
  readonly Connect: JsonObject
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly Namespace: string
}

/** A check of a service, or of a node. */
export interface CheckRecord {
  readonly Node: string
  /** Unique on the node, in its namespace, without case. */
  readonly CheckID: string
  readonly Name: string
  /** `passing`, `warning`, `critical`, or whatever was registered. */
  readonly Status: string
  readonly Notes: string
  readonly Output: string
  /** Empty for a check of the node. A service of the same node and namespace. */
  readonly ServiceID: string
  readonly Type: string
  readonly Interval: string
  readonly Timeout: string
  readonly ExposedPort: number
  /** Only what is set; durations in Go notation. */
  readonly Definition: JsonObject
  /** How the agent of the node gets its status, and the process that last heard of it. Absent: nothing here runs it. No answer shows it. */
  readonly Agent?: (AgentCheck & { readonly process: string }) | null
  readonly CreateIndex: number
  readonly ModifyIndex: number
  /** That of the service; `default` for a check of the node. */
  readonly Namespace: string
}

/** Where a node is in the network, by distances that it measured. */
export interface CoordinateRecord {
  readonly Node: string
  /** Empty for the network without segments. */
  readonly Segment: string
  readonly Coord: {
    /** Eight numbers, in seconds. */
    readonly Vec: readonly number[]
    readonly Error: number
    readonly Adjustment: number
    readonly Height: number
  }
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/**
 * The index of a service name. The store writes it with the commits that move it: `serviceIndexChanges`. It exists
 * while the name has instances; its ModifyIndex is the index.
 */
export interface ServiceIndexRecord {
  /** `nameKey` of the service, {@link EXTINCTION} or {@link SERVICE_NAMES}. */
  readonly Name: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** The status of a check that fails: it ends the sessions that depend on it. A warning does not. */
export const CRITICAL = 'critical'

/** Not the key of a service: its ModifyIndex is when last a name lost its last instance. */
export const EXTINCTION = ''
/** Not the key of a service: its ModifyIndex is when last a name got its first instance, or lost its last. */
export const SERVICE_NAMES = '*'

/** Between the parts of a key. Names with it are refused. */
const SEPARATOR = '\u0000'

/** Nodes, services and checks are unique without case. */
export function nodeKey(node: string): string {
  return node.toLowerCase()
}

/** Key order is: node, namespace, id. */
export function serviceKey({
  Node,
  Namespace,
  ID,
}: Pick<ServiceRecord, 'Node' | 'Namespace' | 'ID'>): string {
  return keyOf(Node, Namespace, ID)
}

export function checkKey({
  Node,
  Namespace,
  CheckID,
}: Pick<CheckRecord, 'Node' | 'Namespace' | 'CheckID'>): string {
  return keyOf(Node, Namespace, CheckID)
}

export function coordinateKey({ Node, Segment }: Pick<CoordinateRecord, 'Node' | 'Segment'>): string {
  return keyOf(Node, Segment)
}

/** The node of a key of a node, service, check or coordinate. */
export function nodeOfKey(key: string): string {
  const end = key.indexOf(SEPARATOR)
  return end === -1 ? key : key.slice(0, end)
}

function keyOf(node: string, ...rest: readonly string[]): string {
  return [node, ...rest].join(SEPARATOR).toLowerCase()
}
