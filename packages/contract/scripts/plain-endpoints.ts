/** The tables of plain endpoints as source files: `src/generated/endpoints.ts`, and what clients need of it. */
import * as z from 'zod'
import type { AnswerKind, ClientEndpoint, Endpoint, EndpointFacts } from '../src/endpoint.ts'
import { type AnyRoute, ROUTE_LIST } from '../src/routes.ts'
import { SHARED_QUERY_OPTIONS } from '../src/shared/query.ts'

const headOf = (type: string) => `// biome-ignore-all format: generated

/**
 * Every endpoint as plain data. Generated from the contract by \`pnpm generate\`; to
 * change an endpoint, change its route.
 */
import type { ${type} } from '../endpoint.ts'

export const ENDPOINTS = {
`

const tailOf = (type: string) => `} as const satisfies Record<string, ${type}>

/** The name of an endpoint, as \`tokens.create\`. */
export type EndpointName = keyof typeof ENDPOINTS

/** Returns an endpoint by its name, as the general type. */
export function endpoint(name: EndpointName): ${type} {
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

/** The file with every fact. */
export function renderEndpoints(): string {
  return render('Endpoint', plainEndpoint)
}

/** The file with the facts that clients need: the published SDK contains it. */
export function renderClientEndpoints(): string {
  return render('ClientEndpoint', (route) => {
    const endpoint = plainEndpoint(route)
    return Object.fromEntries(
      CLIENT_FACTS.flatMap((fact) => (fact in endpoint ? [[fact, endpoint[fact]]] : [])),
    )
  })
}

const CLIENT_FACTS = Object.keys({
  method: true,
  path: true,
  namespaced: true,
  blocking: true,
  answer: true,
  mayBeBoolean: true,
  mayBeNull: true,
  query: true,
} satisfies Record<keyof ClientEndpoint, true>) as readonly (keyof ClientEndpoint)[]

function render(type: string, rowOf: (route: AnyRoute) => object): string {
  const rows = ROUTE_LIST.map((route) => `  '${route.name}': ${literal(rowOf(route))},\n`)
  return headOf(type) + rows.join('') + tailOf(type)
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'string') return `'${value}'`
  if (typeof value !== 'object' || value === null) return String(value)
  return `{ ${Object.entries(value)
    .map(([key, inner]) => `${key}: ${literal(inner)}`)
    .join(', ')} }`
}
