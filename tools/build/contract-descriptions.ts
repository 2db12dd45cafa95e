/** The descriptions in the contract's schemas, for the types inferred from them. */
import { GATES, type GateName, ROUTES, type RouteName, routeOf } from '@latchkey/contract'
import * as z from 'zod'
import type { DescriptionSource, JsonSchema } from './descriptions.ts'

export const CONTRACT_DESCRIPTIONS: DescriptionSource = {
  schemas: {
    Sent: (name) => toJsonSchema(routeOf(routeName(name)).schemas.body, 'input'),
    Answered: (name) => toJsonSchema(routeOf(routeName(name)).schemas.answer, 'output'),
  },
  remarks: ({ gate }) => {
    const since = isGate(gate) ? GATES[gate].since : undefined
    return since === undefined ? [] : [`From service version ${since}.`]
  },
}

function toJsonSchema(schema: z.ZodType | undefined, io: 'input' | 'output'): JsonSchema {
  // zod's type of a JSON Schema is wider than what occurs here.
  return schema === undefined ? {} : (z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema)
}

function routeName(name: string): RouteName {
  if (!Object.hasOwn(ROUTES, name)) throw new Error(`a type names the unknown route ${name}`)
  return name as RouteName
}

function isGate(gate: unknown): gate is GateName {
  return typeof gate === 'string' && Object.hasOwn(GATES, gate)
}
