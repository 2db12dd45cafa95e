/** The gated fields of a body and options of a query, from the metadata of their schemas. Spec 9.1. */
import * as z from 'zod'
import type { GateName } from '../gates.ts'
import type { ServiceProfile } from './profile.ts'

const known = new WeakMap<z.ZodType, ReadonlyMap<string, GateName>>()
const NONE: ReadonlySet<string> = new Set()

/** The gate of each gated field, by path: `Service.Kind`. Paths do not include list positions. */
export function fieldGatesOf(schema: z.ZodType): ReadonlyMap<string, GateName> {
  const gates = known.get(schema) ?? readGates(schema)
  known.set(schema, gates)
  return gates
}

function readGates(schema: z.ZodType): ReadonlyMap<string, GateName> {
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
  const gates = fieldGatesOf(schema)
  if (gates.size === 0) return NONE
  return new Set([...gates].filter(([, gate]) => !profile.has(gate)).map(([name]) => name))
}
