/** The gated fields of a body and options of a query, from the metadata of their schemas. Spec 9.1. */
import * as z from 'zod'
import type { GateName } from '../gates.ts'
import type { ServiceProfile } from './profile.ts'

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
