/** From the zod schemas of the route table to `components.schemas`: one entry for each schema that has an id. */
import * as z from 'zod'
import type { EndpointName } from '../endpoints.ts'
import { invariant } from '../errors.ts'
import type { ServiceProfile } from '../profile.ts'
import type { Route } from '../routes.ts'
import type { JsonSchema } from './document.ts'
import { describeField, isFieldOf } from './fields.ts'

/** The schemas of one endpoint, as references where they have an id. */
export interface EndpointSchemas {
  readonly body?: JsonSchema
  readonly answer: JsonSchema
}

export interface Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly byEndpoint: ReadonlyMap<EndpointName, EndpointSchemas>
}

type MutableSchema = { -readonly [K in keyof JsonSchema]: JsonSchema[K] }

const PREFIX = '#/components/schemas/'

/**
 * Converts the schemas of the routes. Bodies are taken as callers write them, answers as they are sent.
 *
 * @param profile decides which fields a body has, and whether it may have others. Spec 9.1, 9.3.
 */
export function buildComponents(routes: readonly Route[], profile: ServiceProfile): Components {
  const schemas = new Map<string, JsonSchema>()
  const byEndpoint = new Map<EndpointName, EndpointSchemas>()
  const convert = (schema: z.ZodType, io: 'input' | 'output') => {
    const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
    for (const [id, definition] of Object.entries($defs)) {
      // A schema under another name reads as a reference; its fields may mean something else there, so it is copied.
      const original =
        definition.$ref === undefined ? definition : $defs[definition.$ref.replace('#/$defs/', '')]
      const finished = finish(original as JsonSchema, { owner: id, io, profile })
      const known = schemas.get(id)
      const isSame = known === undefined || JSON.stringify(known) === JSON.stringify(finished)
      invariant(isSame, `the schema ${id} reads differently in bodies and in answers: give it two ids`)
      schemas.set(id, finished)
    }
    return finish(root as JsonSchema, { owner: '', io, profile })
  }
  for (const { name, schemas: own } of routes) {
    byEndpoint.set(name, {
      ...(own.body ? { body: convert(own.body, 'input') } : {}),
      answer: convert(own.answer, 'output'),
    })
  }
  const inOrder = [...schemas.entries()].sort(([a], [b]) => (a < b ? -1 : 1))
  return { schemas: Object.fromEntries(inOrder), byEndpoint }
}

interface Place {
  /** Id of the schema, and below it the names of the fields, joined by dots. Empty for a schema without an id. */
  readonly owner: string
  readonly io: 'input' | 'output'
  readonly profile: ServiceProfile
}

/** Rewrites references, drops what says nothing, and adds what the field table knows. */
function finish(schema: JsonSchema, place: Place): JsonSchema {
  const result: MutableSchema = { ...schema }
  if (result.$ref) return { $ref: result.$ref.replace('#/$defs/', PREFIX) }
  // The bounds of a double say nothing of ours.
  if (result.minimum === Number.MIN_SAFE_INTEGER) delete result.minimum
  if (result.maximum === Number.MAX_SAFE_INTEGER) delete result.maximum
  if (result.items) result.items = finish(result.items, place)
  if (result.anyOf) result.anyOf = result.anyOf.map((part) => finish(part, place))
  if (typeof result.additionalProperties === 'object') {
    result.additionalProperties = finish(result.additionalProperties, place)
  }
  return result.properties ? finishObject(result, result.properties, place) : result
}

/** Keys in one order, so that a schema of bodies and answers reads the same in both. */
function finishObject(
  { properties: _, required = [], additionalProperties, ...rest }: MutableSchema,
  properties: Readonly<Record<string, JsonSchema>>,
  place: Place,
): JsonSchema {
  const fields = Object.entries(properties).filter(([field]) => isFieldOf(place.owner, field, place))
  // An empty default is ours, so that the rules can say what is missing: to a caller the field is required.
  const isRequired = ([field, value]: readonly [string, JsonSchema]) =>
    required.includes(field) || value.default === ''
  const requiredFields = fields.filter(isRequired).map(([field]) => field)
  const isClosed = additionalProperties !== undefined && place.profile.has('body.refuseUnknownFields')
  return {
    ...rest,
    properties: Object.fromEntries(fields.map(([field, value]) => [field, finishField(field, value, place)])),
    ...(requiredFields.length > 0 ? { required: requiredFields } : {}),
    ...(isClosed ? { additionalProperties } : {}),
  }
}

function finishField(field: string, schema: JsonSchema, place: Place): JsonSchema {
  const inner = place.owner === '' ? field : `${place.owner}.${field}`
  const { default: byDefault, ...finished } = finish(schema, { ...place, owner: inner })
  return {
    ...describeField(place.owner, field),
    ...finished,
    ...(byDefault === undefined || byDefault === '' ? {} : { default: byDefault }),
  }
}
