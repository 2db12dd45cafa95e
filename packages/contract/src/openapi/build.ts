/**
 * The API as an OpenAPI 3.1 document, derived from the contract. The server serves it at `/v1/openapi.json` and renders it
 * at `/docs`.
 */
import * as z from 'zod'
import { RESOURCES, type ResourceName } from '../contract.ts'
import { ACL_ERROR_CODES, ACL_ERRORS } from '../errors.ts'
import { GATES, type GateName } from '../gates.ts'
import { EXAMPLES } from '../generated/examples.ts'
import { HEADER } from '../headers.ts'
import { type AnyRoute, ROUTE_LIST } from '../routes.ts'
import type { ServiceProfile } from '../versions/profile.ts'
import { buildComponents, type Components, type EndpointSchemas } from './components.ts'
import type {
  Example,
  Gate,
  HttpMethod,
  JsonSchema,
  OpenApiDocument,
  Operation,
  Parameter,
  PathItem,
  SecurityScheme,
} from './document.ts'
import { responseHeaders, responsesOf } from './responses.ts'

export interface OpenApiOptions {
  /** The service version to describe. Endpoints and fields that the version lacks are omitted. Spec 9. */
  readonly profile: ServiceProfile
  /** Address of the service. Absent: the address of the document. */
  readonly serverUrl?: string
  /** The family of header names to show, such as `X-Service-`. */
  readonly headerPrefix: string
  /** `extended`: with namespaces and their options. Spec 4.9. Absent: `standard`. */
  readonly edition?: 'standard' | 'extended'
}

const INFO = `Keeps ACL tokens and authorizes operations with them.

A token has an **accessor**, which appears in paths and is not secret, and a **secret**, which callers present. Its rights come from policies, roles, and service and node identities.

An error is one sentence of plain text, or a problem document (RFC 9457) for requests with \`Accept: application/problem+json\`. Its field \`code\` is stable. A request without a token has the rights of the anonymous token.`

/** Builds the document. A pure function of its options. */
export function buildOpenApi(options: OpenApiOptions): OpenApiDocument {
  const { profile, serverUrl, headerPrefix } = options
  const routes = ROUTE_LIST.filter((route) => isOpen(route, options))
  const components = buildComponents(routes, profile)
  const resources = new Set(routes.map(({ resource }) => resource))
  return {
    openapi: '3.1.1',
    info: {
      title: 'Latchkey',
      version: profile.version.text,
      summary: 'An access-token service',
      description: INFO,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: serverUrl ?? '/' }],
    tags: (Object.keys(RESOURCES) as ResourceName[])
      .filter((name) => resources.has(name))
      .map((name) => ({ name, description: RESOURCES[name] })),
    paths: pathsOf(routes, components, options),
    components: {
      schemas: components.schemas,
      headers: responseHeaders(headerPrefix),
      examples: ERROR_EXAMPLES,
      securitySchemes: securitySchemes(headerPrefix),
    },
    'x-latchkey-errors': ACL_ERROR_CODES.map((code) => ({ code, ...ACL_ERRORS[code] })),
  }
}

function isOpen({ gate, edition }: AnyRoute, options: OpenApiOptions): boolean {
  if (edition !== undefined && edition !== options.edition) return false
  return gate === undefined || options.profile.has(gate)
}

function pathsOf(
  routes: readonly AnyRoute[],
  components: Components,
  options: OpenApiOptions,
): Readonly<Record<string, PathItem>> {
  const paths = new Map<string, Partial<Record<HttpMethod, Operation>>>()
  for (const route of routes) {
    const schemas = components.byRoute.get(route.name)
    if (!schemas) continue
    const template = templateOf(route)
    const item = paths.get(template) ?? {}
    item[route.method.toLowerCase() as HttpMethod] = operationOf(route, schemas, options)
    paths.set(template, item)
  }
  return Object.fromEntries(paths)
}

function operationOf(route: AnyRoute, schemas: EndpointSchemas, options: OpenApiOptions): Operation {
  const { name, resource } = route
  const { headerPrefix } = options
  return {
    operationId: name,
    tags: [resource],
    summary: route.summary,
    description: route.description,
    ...(route.resource === 'legacy' ? { deprecated: true as const } : {}),
    parameters: parametersOf(route, options),
    ...(schemas.body ? { requestBody: requestBody(route, schemas.body) } : {}),
    responses: responsesOf(route, { answer: schemas.answer, headerPrefix }),
    security: securityOf(route),
    'x-latchkey-right': route.right,
    'x-latchkey-spec': route.spec,
    ...(route.gate === undefined ? {} : { 'x-latchkey-gate': gateOf(route.gate) }),
    ...(route.blocking ? { 'x-latchkey-blocking': true as const } : {}),
    ...(route.refusedInLegacyMode ? { 'x-latchkey-refused-in-legacy-mode': true as const } : {}),
  }
}

const BODY_TYPES = {
  json: 'application/json',
  text: 'text/plain',
  raw: 'application/octet-stream',
  stream: 'application/octet-stream',
} as const

function requestBody(
  { name, body = 'json', bodyType, bodyOptional }: AnyRoute,
  schema: JsonSchema,
): NonNullable<Operation['requestBody']> {
  return {
    required: bodyOptional !== true,
    content: {
      [bodyType ?? BODY_TYPES[body]]: { schema, examples: { example: { value: EXAMPLES[name].body } } },
    },
  }
}

function gateOf(name: GateName): Gate {
  const { since, until, sentence } = GATES[name]
  return {
    name,
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    sentence,
  }
}

/** Spec 5.1, and the bearer form that existing clients use. */
function securitySchemes(headerPrefix: string): Readonly<Record<string, SecurityScheme>> {
  return {
    token: {
      type: 'apiKey',
      in: 'header',
      name: `${headerPrefix}${HEADER.token}`,
      description: 'The SecretID of a token.',
    },
    bearer: { type: 'http', scheme: 'bearer', description: 'The SecretID of a token.' },
    query: {
      type: 'apiKey',
      in: 'query',
      name: 'token',
      description:
        'Deprecated, because URLs end up in logs: the answer has a Warning header. Takes precedence over the headers.',
    },
  }
}

const ANY_SOURCE: Operation['security'] = [{ token: [] }, { bearer: [] }, { query: [] }]

/** An empty requirement makes the token optional; without one, the anonymous token applies. */
function securityOf({ right, asksAboutCaller }: AnyRoute): Operation['security'] {
  if (right === 'none' && !asksAboutCaller) return []
  return right === 'self' ? ANY_SOURCE : [{}, ...ANY_SOURCE]
}

/** A problem document for every code. */
const ERROR_EXAMPLES: Readonly<Record<string, Example>> = Object.fromEntries(
  ACL_ERROR_CODES.map((code) => {
    const { status, title } = ACL_ERRORS[code]
    const value = {
      type: `urn:latchkey:error:${code}`,
      title,
      status,
      detail: `${title}.`,
      code,
      requestId: 'f3a9c2-1k',
    }
    return [code, { summary: title, value }]
  }),
)

/** The JSON Schema of a query option. */
interface OptionSchema extends JsonSchema {
  readonly description: string
  readonly allowEmptyValue?: true
  readonly example?: string
  /** The default. zod omits `default` for transformed values. */
  readonly initially?: string
  readonly gate?: GateName
  readonly edition?: 'extended'
}

interface ParameterContext {
  readonly profile: ServiceProfile
  readonly headerPrefix: string
  readonly edition?: 'standard' | 'extended'
}

/** Parameters of one endpoint: path, query, and the namespace header after the option `ns`. */
function parametersOf(route: AnyRoute, context: ParameterContext): readonly Parameter[] {
  const { profile, headerPrefix, edition } = context
  const options = optionsOf(route.schemas.query).filter(
    ([, option]) =>
      (option.edition === undefined || option.edition === edition) &&
      (option.gate === undefined || profile.has(option.gate)),
  )
  return [
    ...optionsOf(route.schemas.params).map(([name, option]) => ({
      name,
      in: 'path' as const,
      required: true as const,
      ...factsOf(option),
    })),
    ...options.flatMap(([name, option]) => {
      const facts = factsOf(option)
      const inQuery = { name, in: 'query' as const, ...facts }
      if (name !== 'ns') return [inQuery]
      return [inQuery, { name: `${headerPrefix}${HEADER.namespace}`, in: 'header' as const, ...facts }]
    }),
  ]
}

function optionsOf(schema: z.ZodObject | undefined): readonly (readonly [string, OptionSchema])[] {
  if (!schema) return []
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  // A test checks that every option has a description.
  return Object.entries(properties) as unknown as readonly (readonly [string, OptionSchema])[]
}

/** The parameter without its name and location. */
function factsOf(option: OptionSchema) {
  const {
    description,
    allowEmptyValue,
    example,
    deprecated,
    initially,
    gate: _,
    edition: __,
    ...form
  } = option
  return {
    description,
    schema: initially === undefined ? form : { ...form, default: initially },
    ...(deprecated ? { deprecated: true as const } : {}),
    ...(allowEmptyValue ? { allowEmptyValue } : {}),
    ...(example === undefined ? {} : { example }),
  }
}

/** Converts a path such as `/v1/acl/token/:AccessorID` to an OpenAPI template. */
function templateOf(route: AnyRoute): string {
  return route.path.replace(/:(\w+)/g, '{$1}')
}
