/** Converts the zod schemas of the routes to `components.schemas`: one entry per schema with an id. */
import * as z from 'zod'
import { invariant } from '../errors.ts'
import type { GateName } from '../gates.ts'
import { problemSchema } from '../refusals/problem.ts'
import type { AnyRoute, RouteName } from '../routes.ts'
import { ANY_CASE, REQUIRED, UNOFFERED } from '../shared/fields.ts'
import type { ServiceProfile } from '../versions/profile.ts'
import type { JsonSchema } from './document.ts'

/** The schemas of one endpoint. A schema with an id is a reference. */
export interface EndpointSchemas {
  readonly body?: JsonSchema
  readonly answer: JsonSchema
}

export interface Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly byRoute: ReadonlyMap<RouteName, EndpointSchemas>
}

/** JSON Schema with our own metadata. */
type RawSchema = { -readonly [K in keyof JsonSchema]: JsonSchema[K] } & {
  gate?: GateName
  [UNOFFERED]?: true
  [REQUIRED]?: true
  [ANY_CASE]?: true
}

const PREFIX = '#/components/schemas/'

/**
 * Converts the schemas of the routes: bodies as callers write them, answers as sent.
 *
 * @param profile decides which fields a body has, and whether unknown ones are refused. Spec 9.1, 9.3.
 */
export function buildComponents(routes: readonly AnyRoute[], profile: ServiceProfile): Components {
  const schemas = new Map<string, JsonSchema>()
  const byRoute = new Map<RouteName, EndpointSchemas>()
  const convert = (schema: z.ZodType, io: 'input' | 'output') => {
    const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
    for (const [id, definition] of Object.entries($defs)) {
      const finished = finish(definition as RawSchema, { io, profile })
      const known = schemas.get(id)
      const isSame = known === undefined || JSON.stringify(known) === JSON.stringify(finished)
      invariant(isSame, `the schema ${id} differs between bodies and answers: give it two ids`)
      schemas.set(id, finished)
    }
    return finish(root as RawSchema, { io, profile })
  }
  for (const { name, schemas: own } of routes) {
    byRoute.set(name, {
      ...(own.body ? { body: convert(own.body, 'input') } : {}),
      answer: convert(own.answer, 'output'),
    })
  }
  convert(problemSchema, 'output')
  const inOrder = [...schemas.entries()].sort(([a], [b]) => (a < b ? -1 : 1))
  return { schemas: Object.fromEntries(inOrder), byRoute }
}

interface Place {
  readonly io: 'input' | 'output'
  readonly profile: ServiceProfile
}

/** Rewrites references and removes what readers do not need. */
function finish(schema: RawSchema, place: Place): JsonSchema {
  const { gate: _, [UNOFFERED]: __, [REQUIRED]: ___, [ANY_CASE]: ____, ...result } = schema
  if (result.$ref) result.$ref = result.$ref.replace('#/$defs/', PREFIX)
  // zod adds the bounds of a double.
  if (result.minimum === Number.MIN_SAFE_INTEGER) delete result.minimum
  if (result.maximum === Number.MAX_SAFE_INTEGER) delete result.maximum
  if (result.items) result.items = finish(result.items, place)
  if (result.anyOf) result.anyOf = result.anyOf.map((part) => finish(part, place))
  if (typeof result.additionalProperties === 'object') {
    result.additionalProperties = finish(result.additionalProperties, place)
  }
  return result.properties ? finishObject(result, result.properties, place) : result
}

/** Sorts keys, which makes a schema identical in bodies and answers. */
function finishObject(
  { properties: _, required = [], additionalProperties, ...rest }: RawSchema,
  properties: Readonly<Record<string, RawSchema>>,
  place: Place,
): JsonSchema {
  const fields = Object.entries(properties).filter(([, field]) => isOffered(field, place))
  const isRequired = ([field, value]: readonly [string, RawSchema]) =>
    required.includes(field) || value[REQUIRED]
  const requiredFields = fields.filter(isRequired).map(([field]) => field)
  const isClosed = additionalProperties === false && place.profile.has('body.refuseUnknownFields')
  return {
    ...rest,
    properties: Object.fromEntries(fields.map(([field, value]) => [field, finishField(value, place)])),
    ...(requiredFields.length > 0 ? { required: requiredFields } : {}),
    ...(isClosed ? { additionalProperties } : {}),
  }
}

/** Whether the document shows the field to callers of this version. Spec 9.1. */
function isOffered(field: RawSchema, { io, profile }: Place): boolean {
  if (field[UNOFFERED]) return false
  return io === 'output' || field.gate === undefined || profile.has(field.gate)
}

function finishField(schema: RawSchema, place: Place): JsonSchema {
  const { default: byDefault, description, ...finished } = finish(schema, place)
  return {
    ...(description === undefined ? {} : { description }),
    ...finished,
    ...(byDefault === undefined || schema[REQUIRED] ? {} : { default: byDefault }),
  }
}
