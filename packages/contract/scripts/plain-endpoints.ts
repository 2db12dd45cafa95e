/** The table of plain endpoints as a source file: the text of `src/generated/endpoints.ts`. */
import * as z from 'zod'
import type { AnswerKind, Endpoint, EndpointFacts } from '../src/endpoint.ts'
import { type AnyRoute, ROUTE_LIST } from '../src/routes.ts'
import { SHARED_QUERY_OPTIONS } from '../src/shared/query.ts'

const HEAD = `// biome-ignore-all format: generated

/**
 * Every endpoint as plain data. Generated from the contract by \`pnpm generate\`; to
 * change an endpoint, change its route.
 */
import type { Endpoint } from '../endpoint.ts'

export const ENDPOINTS = {
`

const TAIL = `} as const satisfies Record<string, Endpoint>

/** The name of an endpoint, as \`tokens.create\`. */
export type EndpointName = keyof typeof ENDPOINTS

/** Returns an endpoint by its name, as the general type. */
export function endpoint(name: EndpointName): Endpoint {
  return ENDPOINTS[name]
}
`

/** The facts in the table, in its order. */
const FACTS = Object.keys({
  right: true,
  gate: true,
  methodGate: true,
  replacement: true,
  acl: true,
  refusedInLegacyMode: true,
  namespaced: true,
  edition: true,
  local: true,
  blocking: true,
  body: true,
  bodyOptional: true,
  bodyBytesMax: true,
  alsoGet: true,
  subject: true,
  mayBeEmpty: true,
} satisfies Record<keyof EndpointFacts, true>) as readonly (keyof EndpointFacts)[]

/** A route without its schemas and descriptions. */
function plainEndpoint(route: AnyRoute): Endpoint {
  const own = Object.keys(route.schemas.query.shape).filter((name) => !SHARED_QUERY_OPTIONS.includes(name))
  const answer = z.toJSONSchema(route.schemas.answer, { io: 'output', unrepresentable: 'any' })
  const row = {
    method: route.method,
    path: route.path.replace(/^\/v1/, ''),
    ...Object.fromEntries(FACTS.map((fact) => [fact, route[fact]])),
    answer: kindOf(answer),
    mayBeBoolean: (kindOf(answer) !== 'boolean' && route.schemas.answer.safeParse(true).success) || undefined,
    mayBeNull: route.schemas.answer.safeParse(null).success || undefined,
    query: own.length === 0 ? undefined : own,
  }
  return Object.fromEntries(
    Object.entries(row).filter(([, value]) => value !== undefined),
  ) as unknown as Endpoint
}

type JsonSchema = z.core.JSONSchema.BaseSchema

/** @throws Error if an answer has several kinds of JSON besides boolean and null. */
function kindOf(schema: JsonSchema): AnswerKind {
  const kinds = new Set(typesOf(schema, schema.$defs ?? {}))
  kinds.delete('null')
  if (kinds.size > 1) kinds.delete('boolean')
  const [kind] = kinds
  if (kinds.size === 1 && isAnswerKind(kind)) return kind
  throw new Error(`an answer is of the kinds ${[...kinds].join(', ')}`)
}

function typesOf({ $ref, anyOf, type }: JsonSchema, defs: Readonly<Record<string, JsonSchema>>): unknown[] {
  if ($ref !== undefined) return typesOf(defs[$ref.replace('#/$defs/', '')] ?? {}, defs)
  // A schema may also be `true` or `false`, but ours are not.
  return anyOf ? anyOf.flatMap((option) => (typeof option === 'object' ? typesOf(option, defs) : [])) : [type]
}

function isAnswerKind(kind: unknown): kind is AnswerKind {
  return kind === 'object' || kind === 'array' || kind === 'string' || kind === 'boolean'
}

/** The whole file. */
export function renderEndpoints(): string {
  const rows = ROUTE_LIST.map((route) => `  '${route.name}': ${literal(plainEndpoint(route))},\n`)
  return HEAD + rows.join('') + TAIL
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'string') return `'${value}'`
  if (typeof value !== 'object' || value === null) return String(value)
  return `{ ${Object.entries(value)
    .map(([key, inner]) => `${key}: ${literal(inner)}`)
    .join(', ')} }`
}
