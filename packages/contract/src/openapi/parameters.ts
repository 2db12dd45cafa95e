/** Parameters of operations: path, query, and the headers of a family. */
import { BLOCKING_QUERY_OPTIONS, type Endpoint } from '../endpoints.ts'
import { invariant } from '../errors.ts'
import { HEADER } from '../headers.ts'
import { FILTER_BYTES_MAX, NAMESPACE_NAME_LENGTH_MAX, PAGE_LIMIT_MAX } from '../limits.ts'
import type { ServiceProfile } from '../profile.ts'
import type { JsonSchema, Parameter } from './document.ts'

type ParameterFacts = Pick<Parameter, 'description' | 'schema' | 'deprecated' | 'allowEmptyValue' | 'example'>

const text = { type: 'string' } as const
const uuid = { type: 'string', format: 'uuid' } as const

const unsigned: JsonSchema = { type: 'integer', minimum: 0 }

/** An option that counts by being there. */
function flag(description: string): ParameterFacts {
  return { description, schema: text, allowEmptyValue: true }
}

const PATH_PARAMETERS: Readonly<Record<string, ParameterFacts>> = {
  AccessorID: { description: 'Accessor of the token. Without case.', schema: uuid },
  ID: { description: 'ID of the record.', schema: uuid },
  Name: { description: 'Name of the record. Without case for policies and roles.', schema: text },
  Key: { description: 'The key: all of the path that follows, slashes included.', schema: text },
}

/** In the legacy API the ID is the secret of the token, and any text. Spec 9.1. */
const LEGACY_ID: ParameterFacts = { description: 'Secret of the token: any text.', schema: text }

const BLOCKING: Readonly<Record<(typeof BLOCKING_QUERY_OPTIONS)[number], ParameterFacts>> = {
  index: {
    description: 'Wait until the answer has an index above this one. 0: do not wait.',
    schema: unsigned,
  },
  wait: {
    description: 'Longest wait, such as `30s`: 5 minutes where absent, 10 at most, plus up to a sixteenth.',
    schema: text,
  },
  stale: flag('Answer from local state, whatever its age. Counts by its presence.'),
  consistent: flag(
    'Confirm with the primary database first. Counts by its presence; not together with `stale`.',
  ),
  max_stale: { description: 'Oldest state that may be shown, such as `10s`. Implies `stale`.', schema: text },
  cached: flag('Accepted for existing clients; changes nothing. Not together with `consistent`.'),
  leader: flag('Accepted for existing clients; the same as the default.'),
}

const OPTIONS: Readonly<Record<string, ParameterFacts>> = {
  expanded: flag('Add the policies and roles that affect the token, in full. `expanded=false` is plain.'),
  policy: { description: 'Only records linked to the policy with this ID.', schema: text },
  role: { description: 'Only tokens linked to the role with this ID.', schema: text },
  authmethod: { description: 'Only tokens of the auth method with this name.', schema: text },
  'authmethod-ns': { description: 'Extended edition only: namespace of that auth method.', schema: text },
  servicename: { description: 'Only tokens with a service identity of this name.', schema: text },
  filter: {
    description:
      'Only tokens for which all terms hold: `Field==value`, joined by ` and `. Fields: `Policies.ID`, `Roles.ID`, `AuthMethod`, `ServiceIdentities.ServiceName`, `Local`; each at most once.',
    schema: { type: 'string', 'x-latchkey-bytes-max': FILTER_BYTES_MAX },
    example: 'AuthMethod==oidc and Local==true',
  },
  sort: {
    description: 'Order of the list: of creation, or newest first. A `cursor` belongs to one order.',
    schema: { type: 'string', enum: ['CreateIndex', '-CreateIndex'], default: 'CreateIndex' },
    example: '-CreateIndex',
  },
  limit: {
    description: 'Answer a page of at most so many records.',
    schema: { type: 'integer', minimum: 1, maximum: PAGE_LIMIT_MAX },
  },
  cursor: { description: 'Go on after the page that came with this `Next-Cursor`.', schema: text },
  explain: flag('Say which rule decided each check.'),
  accessor: {
    description: 'Decide for this token. Needs `acl:read`, unless it is the caller’s own.',
    schema: uuid,
  },
  recurse: flag('All keys that start with the given one.'),
  keys: flag('Names of keys instead of entries.'),
  separator: { description: 'With `keys`: cut names after its first place behind the prefix.', schema: text },
  raw: flag('The bytes of the value alone.'),
  flags: { description: 'A number to keep with the value.', schema: unsigned },
  cas: {
    description:
      'Only if the entry’s ModifyIndex is this one, else the answer is `false`. On write, 0: only if there is none.',
    schema: unsigned,
  },
  acquire: { description: 'Refused: there are no sessions.', schema: text, deprecated: true },
  release: { description: 'Refused: there are no sessions.', schema: text, deprecated: true },
  format: {
    description: '`prometheus` for the text format of Prometheus.',
    schema: { type: 'string', enum: ['prometheus'] },
  },
  from: { description: 'A service version, such as `1.3.0`.', schema: text },
  to: { description: 'A service version not older than `from`.', schema: text },
  check: flag('Judge the whole list, and write nothing.'),
  position: {
    description: 'Place of the first record in a longer list, for what is said of problems. Default 0.',
    schema: unsigned,
  },
}

const NAMESPACE: ParameterFacts = {
  description: 'Extended edition only: namespace of the record. Where records are listed, `*` means all.',
  schema: { type: 'string', maxLength: NAMESPACE_NAME_LENGTH_MAX },
}
const PRETTY = flag('Indent the JSON. Counts by its presence.')

export interface ParameterContext {
  readonly profile: ServiceProfile
  readonly headerPrefix: string
  readonly edition?: 'standard' | 'extended'
}

/** Parameters of one endpoint: path, its own options, those of its kind, the namespace header. */
export function parametersOf(
  endpoint: Endpoint,
  { profile, headerPrefix, edition }: ParameterContext,
): readonly Parameter[] {
  const isExtended = edition === 'extended'
  const own = (endpoint.query ?? []).filter((name) => {
    if (name === 'authmethod-ns') return isExtended
    return name !== 'expanded' || profile.has('token.expanded')
  })
  const options = [...own, ...(endpoint.blocking ? BLOCKING_QUERY_OPTIONS : [])]
  const isNamespaced = isExtended && endpoint.namespaced && endpoint.right !== 'self'
  return [
    ...pathParameters(endpoint),
    ...options.map((name) => ({ name, in: 'query' as const, ...factsOf(name) })),
    ...(isNamespaced
      ? [
          { name: 'ns', in: 'query' as const, ...NAMESPACE },
          { name: `${headerPrefix}${HEADER.namespace}`, in: 'header' as const, ...NAMESPACE },
        ]
      : []),
    { name: 'pretty', in: 'query', ...PRETTY },
  ]
}

function pathParameters(endpoint: Endpoint): readonly Parameter[] {
  return [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const facts = endpoint.gate === 'api.legacy' && name === 'ID' ? LEGACY_ID : PATH_PARAMETERS[name]
    invariant(facts, `the path parameter ${name} is not described`)
    return { name, in: 'path', required: true, ...facts }
  })
}

function factsOf(name: string): ParameterFacts {
  const facts = OPTIONS[name] ?? (BLOCKING as Readonly<Record<string, ParameterFacts>>)[name]
  invariant(facts, `the query option ${name} is not described`)
  return facts
}

/** `/acl/token/:AccessorID` as OpenAPI writes it, with the version prefix. */
export function templateOf(endpoint: Endpoint): string {
  return `/v1${endpoint.path.replace(/:(\w+)/g, '{$1}')}`
}
