/**
 * Records of the catalog of this datacenter. Spelled and shaped as on the wire; values that derive from another record
 * (the datacenter, and the name and tags of a check's service) are not stored.
 */
import type { ServiceAddress, Weights } from '@latchkey/contract'
import type { AgentCheck } from '../agent/check-definition.ts'

type Words = Readonly<Record<string, string>>
type JsonObject = Readonly<Record<string, unknown>>

export interface NodeRecord {
  /** A UUID in lower case, or empty. */
  readonly ID: string
  /** As last written; unique regardless of case. */
  readonly Node: string
  readonly Address: string
  /** `null` if none were given. */
  readonly TaggedAddresses: Words | null
  readonly Meta: Words | null
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** A service on a node: an instance of the service with that name. */
export interface ServiceRecord {
  readonly Node: string
  /** Unique on the node and in its namespace, regardless of case. */
  readonly ID: string
  readonly Service: string
  /** Empty for a typical service. */
  readonly Kind: string
  readonly Tags: readonly string[]
  /** If empty, the address of the node applies. */
  readonly Address: string
  readonly TaggedAddresses: Readonly<Record<string, Readonly<ServiceAddress>>>
  readonly Meta: Words | null
  readonly Port: number
  readonly SocketPath: string
  readonly Weights: Readonly<Weights>
  readonly EnableTagOverride: boolean
  /** Contains only keys that were given. */
  readonly Proxy: JsonObject
  readonly Connect: JsonObject
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly Namespace: string
}

/** A check of a service, or of a node. */
export interface CheckRecord {
  readonly Node: string
  /** Unique on the node and in its namespace, regardless of case. */
  readonly CheckID: string
  readonly Name: string
  /** `passing`, `warning`, `critical`, or another text that was registered. */
  readonly Status: string
  readonly Notes: string
  readonly Output: string
  /** A service on the same node and in the same namespace; empty for a check of the node. */
  readonly ServiceID: string
  readonly Type: string
  readonly Interval: string
  readonly Timeout: string
  readonly ExposedPort: number
  /** Only fields that are set; durations in Go notation. */
  readonly Definition: JsonObject
  /**
   * How the agent of the node determines the status, the process that last received a result, and the AccessorID of the
   * token that registered the check. Absent if no agent runs the check. Never part of an answer.
   */
  readonly Agent?: (AgentCheck & { readonly process: string; readonly owner?: string }) | null
  readonly CreateIndex: number
  readonly ModifyIndex: number
  /** The namespace of the service; `default` for a check of the node. */
  readonly Namespace: string
}

/** Position of a node in the network, from measured distances. */
export interface CoordinateRecord {
  readonly Node: string
  /** Empty for a network without segments. */
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
 * The index of a service name, which is its ModifyIndex. The store writes it with the commits that change it
 * (`serviceIndexChanges`). It exists while the name has instances.
 */
export interface ServiceIndexRecord {
  /** `nameKey` of the service, {@link EXTINCTION}, {@link SERVICE_NAMES} or {@link CONNECT_LOSS}. */
  readonly Name: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** The status of a failed check, which ends the sessions that depend on it. A warning does not. */
export const CRITICAL = 'critical'

/** Not the key of a service. Its ModifyIndex is the index at which a name most recently lost its last instance. */
export const EXTINCTION = ''
/**
 * Not the key of a service. Its ModifyIndex is the index at which a name most recently got its first instance or lost
 * its last.
 */
export const SERVICE_NAMES = '*'
/**
 * Not the key of a service. Its ModifyIndex is the index at which an instance most recently stopped accepting connections
 * for a service.
 */
export const CONNECT_LOSS = '>'

/**
 * Names the connection endpoints of a service, a native service and its proxies, in the changes of a commit.
 * There is no record of this name: its change, a deletion, only tells waiters. @param key `nameKey` of the
 * service.
 */
export function connectKey(key: string): string {
  return `>${key}`
}

/** Separates the parts of a key. Names that contain it are refused. */
const SEPARATOR = '\u0000'

/** The keys of nodes, services and checks ignore case. */
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

/** The node in the key of a node, service, check or coordinate. */
export function nodeOfKey(key: string): string {
  const end = key.indexOf(SEPARATOR)
  return end === -1 ? key : key.slice(0, end)
}

function keyOf(node: string, ...rest: readonly string[]): string {
  return [node, ...rest].join(SEPARATOR).toLowerCase()
}
