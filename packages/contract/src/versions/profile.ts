/** What the service is when it speaks as one version, and what changes between two. Spec 9. */
import { AclError } from '../errors.ts'
import { GATE_NAMES, GATES, type GateName, type VersionGate } from '../gates.ts'
import { shorten } from '../shared/shorten.ts'
import { compareVersions, isBefore, knownVersion, type ServiceVersion } from './versions.ts'

/** The service as one version. Code asks `has` and never looks at the version itself. */
export interface ServiceProfile {
  readonly version: ServiceVersion
  /** Whether this version has what the gate names. */
  has(gate: GateName): boolean
  /** Whether an earlier version had what the gate names, and this one no longer has. */
  hasNoLonger(gate: GateName): boolean
  /** Most connections of one client address where the configuration does not say; 0 means no limit. Spec 8. */
  readonly connectionLimit: number
}

/** One gate that opens or closes on the way from one version to another. */
export interface VersionChange {
  readonly gate: GateName
  /** `added`: the gate opens; `removed`: it closes. */
  readonly change: 'added' | 'removed'
  /** The version that brings the change. */
  readonly at: string
  readonly kind: VersionGate['kind']
  readonly specRow: string
  readonly sentence: string
  readonly clientSees: string
  readonly breaksClients: boolean
  readonly decidedBy: VersionGate['decidedBy']
}

/** The service as `version`; every gate is decided here, once. */
export function profileOf(version: ServiceVersion): ServiceProfile {
  const open = new Set(GATE_NAMES.filter((name) => isOpen(GATES[name], version)))
  const closed = new Set(GATE_NAMES.filter((name) => isClosed(GATES[name], version)))
  return {
    version,
    has: (gate) => open.has(gate),
    hasNoLonger: (gate) => closed.has(gate),
    connectionLimit: connectionLimitOf(open),
  }
}

/**
 * Lists what changes when a service goes from one version to a newer one: every gate with an edge after `from` and
 * not after `to`, oldest edge first, in the order of the table where edges are equal. A gate that opens and closes on
 * the way (a fault that a later version fixed) is there twice, as whoever stops in between meets it.
 *
 * @throws AclError `version_invalid` where `from` is newer than `to`.
 */
export function changesBetween(from: ServiceVersion, to: ServiceVersion): readonly VersionChange[] {
  if (isBefore(to, from)) {
    throw new AclError(
      'version_invalid',
      `from: ${shorten(from.text)} is newer than to, ${shorten(to.text)}`,
      {
        field: 'from',
      },
    )
  }
  return EDGES.filter((edge) => isBefore(from, edge.version) && !isBefore(to, edge.version)).map(
    (edge) => edge.change,
  )
}

function isOpen(gate: VersionGate, version: ServiceVersion): boolean {
  if (gate.since !== undefined && isBefore(version, knownVersion(gate.since))) return false
  return !isClosed(gate, version)
}

function isClosed({ until }: VersionGate, version: ServiceVersion): boolean {
  return until !== undefined && !isBefore(version, knownVersion(until))
}

function connectionLimitOf(open: ReadonlySet<GateName>): number {
  if (open.has('http.connectionLimit200')) return 200
  return open.has('http.connectionLimit100') ? 100 : 0
}

/** Every opening and closing, oldest first. */
const EDGES = GATE_NAMES.flatMap((gate) => {
  const { since, until, ...facts } = GATES[gate]
  const edge = (change: VersionChange['change'], at: string | undefined) =>
    at === undefined ? [] : [{ version: knownVersion(at), change: { gate, change, at, ...facts } }]
  return [...edge('added', since), ...edge('removed', until)]
}).sort((a, b) => compareVersions(a.version, b.version))
