/** The gated fields of a body, from the metadata of its schema. Spec 9.1. */
import * as z from 'zod'
import type { GateName } from '../gates.ts'
import type { ServiceProfile } from './profile.ts'

const known = new WeakMap<z.ZodType, ReadonlyMap<string, GateName>>()
const NONE: ReadonlySet<string> = new Set()

/** The gate of each gated top-level field. */
export function fieldGatesOf(schema: z.ZodType): ReadonlyMap<string, GateName> {
  const gates = known.get(schema) ?? readGates(schema)
  known.set(schema, gates)
  return gates
}

function readGates(schema: z.ZodType): ReadonlyMap<string, GateName> {
  if (!(schema instanceof z.ZodObject)) return new Map()
  const fields = Object.entries<z.ZodType>(schema.shape)
  return new Map(
    fields.flatMap(([name, field]) => {
      const gate = gateOf(field)
      return gate === undefined ? [] : [[name, gate] as const]
    }),
  )
}

function gateOf(field: z.ZodType): GateName | undefined {
  const gate = field.meta()?.gate
  if (gate !== undefined) return gate as GateName
  return field instanceof z.ZodOptional ? gateOf(field.unwrap() as z.ZodType) : undefined
}

/** The fields of a body that a service version lacks. */
export function absentFieldsOf(schema: z.ZodType, profile: ServiceProfile): ReadonlySet<string> {
  const gates = fieldGatesOf(schema)
  if (gates.size === 0) return NONE
  return new Set([...gates].filter(([, gate]) => !profile.has(gate)).map(([name]) => name))
}
