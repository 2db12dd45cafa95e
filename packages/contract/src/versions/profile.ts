import * as z from 'zod'
import { AclError } from '../errors.ts'
import { GATE_NAMES, GATES, type GateName, type VersionGate } from '../gates.ts'
import { shorten } from '../shared/shorten.ts'
import { compareVersions, isBefore, knownVersion, type ServiceVersion } from './versions.ts'

/** The service at one version. Code calls `has` and never compares versions. */
export interface ServiceProfile {
  readonly version: ServiceVersion
  /** Whether the gate is open. */
  has(gate: GateName): boolean
  /** Whether the gate was open in an earlier version and is closed now. */
  hasNoLonger(gate: GateName): boolean
  /** Default limit of connections from one client address; 0 means no limit. Spec 8. */
  readonly connectionLimit: number
}

/** A gate that opens or closes between two versions. */
export interface VersionChange {
  readonly gate: GateName
  /** `added`: the gate opens; `removed`: it closes. */
  readonly change: 'added' | 'removed'
  /** The version that introduces the change. */
  readonly at: string
  readonly kind: VersionGate['kind']
  readonly specRow: string
  readonly sentence: string
  readonly clientSees: string
  readonly breaksClients: boolean
  readonly decidedBy: VersionGate['decidedBy']
}

/** The profile of a version. */
export function profileOf(version: ServiceVersion): ServiceProfile {
  const closed = namesOf(RANGES.filter(({ until }) => until !== undefined && !isBefore(version, until)))
  const begun = RANGES.filter(({ since }) => since === undefined || !isBefore(version, since))
  const open = namesOf(begun.filter(({ name }) => !closed.has(name)))
  return {
    version,
    has: (gate) => open.has(gate),
    hasNoLonger: (gate) => closed.has(gate),
    connectionLimit: connectionLimitOf(open),
  }
}

/**
 * Lists the changes from one version to a newer one: every gate that opens or closes after `from` and up to `to`,
 * oldest first. A gate that does both (a fault that a later version fixed) appears twice, because an upgrade may stop
 * in between.
 *
 * @throws AclError `version_invalid` if `from` is newer than `to`.
 */
export function changesBetween(from: ServiceVersion, to: ServiceVersion): readonly VersionChange[] {
  if (isBefore(to, from)) {
    throw new AclError(
      'version_invalid',
      `from: ${shorten(from.text)} is newer than to, ${shorten(to.text)}`,
      { field: 'from' },
    )
  }
  return EDGES.filter((edge) => isBefore(from, edge.version) && !isBefore(to, edge.version)).map(
    (edge) => edge.change,
  )
}

function namesOf(ranges: typeof RANGES): ReadonlySet<GateName> {
  return new Set(ranges.map(({ name }) => name))
}

function connectionLimitOf(open: ReadonlySet<GateName>): number {
  if (open.has('http.connectionLimit200')) return 200
  return open.has('http.connectionLimit100') ? 100 : 0
}

/** The versions of every gate, parsed once: simulations make thousands of profiles. */
const RANGES = GATE_NAMES.map((name) => {
  const { since, until }: VersionGate = GATES[name]
  const parsed = (text: string | undefined) => (text === undefined ? undefined : knownVersion(text))
  return { name, since: parsed(since), until: parsed(until) }
})

/** Every opening and closing, oldest first. */
const EDGES = GATE_NAMES.flatMap((gate) => {
  const { since, until, ...facts } = GATES[gate]
  const edge = (change: VersionChange['change'], at: string | undefined) =>
    at === undefined ? [] : [{ version: knownVersion(at), change: { gate, change, at, ...facts } }]
  return [...edge('added', since), ...edge('removed', until)]
}).sort((a, b) => compareVersions(a.version, b.version))

/** What a version lacks of each schema that was asked for. */
const known = new WeakMap<ServiceProfile, Map<z.ZodType, ReadonlySet<string>>>()

/** The gate of each gated field, by path: `Service.Kind`. Paths do not include list positions. */
export function fieldGatesOf(schema: z.ZodType): ReadonlyMap<string, GateName> {
  return new Map(gatesBelow(schema, ''))
}

function gatesBelow(schema: z.ZodType, prefix: string): readonly (readonly [string, GateName])[] {
  if (schema instanceof z.ZodOptional) return gatesBelow(schema.unwrap() as z.ZodType, prefix)
  if (schema instanceof z.ZodArray) return gatesBelow(schema.element as z.ZodType, prefix)
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries<z.ZodType>(schema.shape).flatMap(([name, field]) => {
    const gate = gateOf(field)
    const path = `${prefix}${name}`
    return [...(gate === undefined ? [] : [[path, gate] as const]), ...gatesBelow(field, `${path}.`)]
  })
}

function gateOf(field: z.ZodType): GateName | undefined {
  const gate = field.meta()?.gate
  if (gate !== undefined) return gate as GateName
  return field instanceof z.ZodOptional ? gateOf(field.unwrap() as z.ZodType) : undefined
}

/** The fields of a body, or options of a query, that a service version lacks. */
export function absentFieldsOf(schema: z.ZodType, profile: ServiceProfile): ReadonlySet<string> {
  const ofProfile = known.get(profile) ?? new Map<z.ZodType, ReadonlySet<string>>()
  known.set(profile, ofProfile)
  const absent = ofProfile.get(schema) ?? readAbsent(schema, profile)
  ofProfile.set(schema, absent)
  return absent
}

function readAbsent(schema: z.ZodType, profile: ServiceProfile): ReadonlySet<string> {
  const gates = [...fieldGatesOf(schema)]
  return new Set(gates.filter(([, gate]) => !profile.has(gate)).map(([name]) => name))
}
