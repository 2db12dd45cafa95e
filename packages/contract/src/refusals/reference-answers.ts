/**
 * How the reference words its refusals: the third column of the error table, by code and route, from its answers to the
 * same requests. Clients of its family compare some of these texts. Decisions: dialects.
 */
import type { AclError, AclErrorCode } from '../errors.ts'
import type { EndpointName } from '../generated/endpoints.ts'
import { shorten } from '../shared/shorten.ts'

/** A text, in which `{ID}` is a path parameter, or what becomes of ours. `query`: the options of the request. */
type Wording = string | ((own: string, query: URLSearchParams) => string)

type Wordings = Readonly<Partial<Record<AclErrorCode | `${AclErrorCode} ${string}`, Wording>>>

interface ReferenceAnswers {
  /** By code, or by code and first name of the field, which takes precedence. */
  readonly texts?: Wordings
  /** What precedes the reason why a body could not be decoded. */
  readonly decoding?: string
  /** Refusals with status 400 begin with `Bad request: `. */
  readonly isBadRequest?: true
  /** Which answers have the headers about a read: those of a record that exists, all but refusals, or none. */
  readonly readHeaders?: 'found' | 'unlessRefused' | 'none'
}

const NAME_RULE = / Only (?:lowercase )?(alphanumeric characters, '-' and '_' are allowed).*$/s

const UNFINISHED_FILTER = /line 1, column (\d+): found (.*), expected (a name|"==").*$/s
const OPERAND = String.raw`"-", "0", "\"", "${'`'}", [ \t\r\n], [1-9] or [a-zA-Z]`
const OPERATOR = String.raw`"!=", ".", "==", "[", [ \t\r\n] or [a-zA-Z0-9_]`

/** Its parser names the place twice, counted from 1 and from 0. */
function unfinishedFilter(own: string, column: string, found: string, expected: string): string {
  const isOperand = expected === 'a name' && column !== '1'
  if (!isOperand && (expected === 'a name' || found !== 'the end')) return own
  return `1:${column} (${Number(column) - 1}): no match found, expected: ${isOperand ? OPERAND : OPERATOR}`
}

/** Ours names the place and the bracket; the reference has a text for the missing bracket alone. */
function unclosedRules(own: string, says = 'Failed to parse ACL rules'): string {
  const [, line, column] =
    /^Rules: line (\d+), column (\d+): found the end of the text, expected "}"/.exec(own) ?? []
  return line === undefined
    ? own
    : `${says}: At ${line}:${Number(column) + 1}: object expected closing RBRACE got: EOF`
}

/** A number in the query, as the library that the reference reads it with refuses it. */
const notUint64 = (name: string) => (own: string, query: URLSearchParams) => {
  const text = query.get(name)
  if (text === null) return own
  const problem = /^\d+$/.test(text) ? 'value out of range' : 'invalid syntax'
  return `strconv.ParseUint: parsing ${JSON.stringify(shorten(text))}: ${problem}`
}

/** On all routes. */
const EVERYWHERE: Wordings = {
  privilege_missing: 'Permission denied',
  endpoint_unknown: '',
  'query_invalid index': 'Invalid index',
  'query_invalid wait': 'Invalid wait time',
  name_invalid: (own) =>
    own.replace(/^Node identity "[^"]*"/, 'Node identity').replace(NAME_RULE, ' Only $1'),
  local_mismatch: (own) => own.replace('Cannot', 'cannot').replace(/: Local was omitted.*$/s, ''),
  id_reserved: (own) => own.replace(/: \w+: UUIDs/, ': UUIDs'),
  expiration_out_of_bounds: (own) => own.replace('Token Expiration TTL cannot', 'ExpirationTime cannot'),
  filter_invalid: (own) => own.replace(UNFINISHED_FILTER, unfinishedFilter),
  rules_invalid: (own) => unclosedRules(own),
  'field_immutable SecretID': (own) => own.replace("token's", 'tokens'),
}

/** What its index over UUIDs says of other texts. */
const noUuid = (lookup: string) => `${lookup}: index error: UUID must be 36 characters`
const aclLookup = (kind: string) => noUuid(`failed acl ${kind} lookup`)
const token = { decoding: 'Token decoding failed', isBadRequest: true } as const
const missingToken = { id_missing: 'Missing token ID' } as const
const policy = { decoding: 'Policy decoding failed', isBadRequest: true } as const
const role = { decoding: 'Role decoding failed', isBadRequest: true } as const
const method = { decoding: 'AuthMethod decoding failed', isBadRequest: true } as const
const rule = { decoding: 'BindingRule decoding failed', isBadRequest: true } as const
const login = {
  decoding: 'Failed to decode request body',
  isBadRequest: true,
  texts: { 'field_required AuthMethod': 'ACL not found' },
} as const
const request = { decoding: 'Request decode failed' } as const
const nameTaken = {
  name_in_use: (own: string) =>
    own.replace(/A (Policy|Role) with Name/, (_, kind: string) => `A ${kind.toLowerCase()} with name`),
}
const undecoded = (own: string) => `Request decoding failed: ${own}`
const SHORT_NODE_ID = /^Bad node ID: "(?!.{36}").*" is no UUID$/
const unknownAccessor = `Failed acl token lookup by accessor: ${aclLookup('token')}`
const unknownService = (own: string) => own.replace(/^Unknown service ("[^"]*")$/, 'Unknown service {$1 {}}')
const onService = 'Permission denied: Missing {resource}:{access} on {segment}'
const agentCheck = { texts: { privilege_missing: onService, id_missing: 'Unknown check ""' } } as const
const legacyRules = (own: string) =>
  unclosedRules(own, 'ACL rule compilation failed: Failed to parse ACL rules')
const intention = noUuid('failed intention lookup')
/** The reference lists every broken rule of an intention, and ours names the first. */
const oneOf = (own: string) => `1 error occurred:\n\t* ${own}\n\n`
const intentionRules = {
  'field_required SourceName': oneOf,
  'field_required DestinationName': 'Permission denied',
  field_invalid: oneOf,
  'field_invalid ID': (own: string) => own,
} as const
const unknownConfig = (own: string) =>
  own.replace(
    /^unknown field "Config\.(\w+)".*$/s,
    "Invalid Auth Method: error decoding config: 1 error(s) decoding:\n\n* '' has invalid keys: $1",
  )

const ROUTES: { readonly [name in EndpointName]?: ReferenceAnswers } = {
  'tokens.create': { ...token, texts: { 'id_invalid AccessorID': unknownAccessor } },
  'tokens.read': {
    ...token,
    texts: { ...missingToken, id_invalid: aclLookup('token'), not_found: 'ACL not found' },
  },
  'tokens.clone': { ...token, texts: { id_invalid: aclLookup('token'), not_found: 'ACL not found' } },
  'tokens.update': {
    ...token,
    texts: { id_invalid: unknownAccessor, not_found: 'Cannot find token "{AccessorID}"' },
  },
  'tokens.delete': {
    ...token,
    texts: { ...missingToken, id_invalid: 'Accessor ID is missing or an invalid UUID' },
  },
  'tokens.list': token,
  'policies.create': policy,
  'policies.read': { ...policy, texts: { id_invalid: aclLookup('policy'), not_found: 'ACL not found' } },
  'policies.readByName': { ...policy, texts: { not_found: 'ACL not found' } },
  'policies.update': {
    ...policy,
    texts: { ...nameTaken, id_invalid: 'Policy ID invalid UUID', not_found: 'cannot find policy {ID}' },
  },
  'policies.delete': { ...policy, texts: { id_invalid: aclLookup('policy') } },
  'roles.create': {
    ...role,
    texts: {
      'field_invalid ID': 'Role ID in URL and payload do not match',
      link_unknown: (own) =>
        own.replace(/^No such ACL policy with ID "([^"]*)"$/, 'No such policy with ID: $1'),
    },
  },
  'roles.read': { ...role, readHeaders: 'found', texts: { id_invalid: aclLookup('role'), not_found: '' } },
  'roles.readByName': { ...role, readHeaders: 'found', texts: { not_found: '' } },
  'roles.update': {
    ...role,
    texts: { ...nameTaken, id_invalid: 'Role ID invalid UUID', not_found: 'cannot find role {ID}' },
  },
  'roles.delete': { ...role, texts: { id_invalid: aclLookup('role') } },
  'authMethods.create': { ...method, texts: { 'field_unknown Config': unknownConfig } },
  'authMethods.read': { ...method, readHeaders: 'found', texts: { not_found: '' } },
  'authMethods.update': { ...method, texts: { 'field_unknown Config': unknownConfig } },
  'authMethods.delete': method,
  'bindingRules.create': rule,
  'bindingRules.read': {
    ...rule,
    readHeaders: 'found',
    texts: { id_invalid: aclLookup('binding rule'), not_found: '' },
  },
  'bindingRules.update': {
    ...rule,
    texts: { id_invalid: 'Binding Rule ID invalid UUID', not_found: 'cannot find binding rule {ID}' },
  },
  'bindingRules.delete': { ...rule, texts: { id_invalid: aclLookup('binding rule') } },
  'login.login': login,
  'login.authUrl': login,
  'login.callback': login,
  'legacy.translate': {
    isBadRequest: true,
    texts: { rules_invalid: (own) => unclosedRules(own, 'Failed to parse rules') },
  },
  'legacy.translateToken': { texts: { not_found: 'ACL not found' } },
  'legacy.create': {
    ...request,
    texts: { 'field_invalid Type': 'Invalid ACL Type', rules_invalid: legacyRules },
  },
  'legacy.update': { ...request, texts: { rules_invalid: legacyRules } },
  'kv.read': { readHeaders: 'unlessRefused' },
  'kv.write': {
    texts: {
      id_missing: 'Missing key name',
      'query_invalid cas': notUint64('cas'),
      'query_invalid flags': notUint64('flags'),
    },
  },
  'kv.delete': { texts: { 'query_invalid cas': notUint64('cas') } },
  'txn.apply': { decoding: 'Failed to parse body' },
  'sessions.create': {
    ...request,
    texts: {
      'field_type TTL': (own) =>
        own.replace(
          /^TTL is not a duration: (invalid duration "(.*)")$/,
          "Session TTL '$2' invalid: time: $1",
        ),
    },
  },
  'sessions.destroy': { texts: { id_invalid: (own) => `Session lookup failed: ${own}` } },
  'catalog.register': {
    ...request,
    texts: {
      'field_invalid ID': (own) => own.replace(SHORT_NODE_ID, 'Bad node ID: uuid string is wrong length'),
    },
  },
  'catalog.deregister': request,
  'coordinates.node': { readHeaders: 'found', texts: { not_found: '', id_missing: '' } },
  'coordinates.update': request,
  'operations.members': {
    texts: { 'query_invalid segment': 'Network segments are not supported in this version of Consul' },
  },
  'agentProcess.forceLeave': { texts: { id_missing: "agent: No node found with name ''" } },
  'operator.removePeer': { isBadRequest: true },
  'health.uiNode': { readHeaders: 'found', texts: { not_found: '' } },
  'agent.service': { texts: { id_missing: 'unknown service ID: ' } },
  'agent.registerService': { ...request, texts: { privilege_missing: onService } },
  'agent.deregisterService': {
    texts: { privilege_missing: onService, not_found: unknownService, id_missing: 'Unknown service {"" {}}' },
  },
  'agent.serviceMaintenance': { texts: { privilege_missing: onService, not_found: unknownService } },
  'agentChecks.register': {
    ...request,
    texts: {
      privilege_missing: onService,
      not_found: (own) => own.replace(/^Unknown service ("[^"]*")$/, 'ServiceID $1 does not exist'),
    },
  },
  'agentChecks.deregister': agentCheck,
  'agentChecks.pass': agentCheck,
  'agentChecks.warn': agentCheck,
  'agentChecks.fail': agentCheck,
  'agentChecks.update': { ...request, texts: { privilege_missing: onService } },
  'configEntries.write': {
    decoding: 'Request decoding failed',
    isBadRequest: true,
    texts: { 'field_invalid Kind': undecoded, 'field_required Kind': undecoded },
  },
  'intentions.create': { decoding: 'Failed to decode request body', texts: intentionRules },
  'intentions.update': {
    decoding: 'Request decode failed',
    isBadRequest: true,
    texts: { ...intentionRules, id_invalid: `Intention lookup failed: ${intention}` },
  },
  'intentions.delete': { texts: { id_invalid: `Intention lookup failed: ${intention}` } },
  'intentions.read': { isBadRequest: true, readHeaders: 'none', texts: { id_invalid: intention } },
  'intentions.match': { readHeaders: 'none' },
  'intentions.check': { readHeaders: 'none' },
}

interface Refused {
  readonly endpoint: EndpointName | undefined
  readonly params?: Readonly<Record<string, string>> | undefined
  /** In the dialect of the reference. */
  readonly status: number
  /** Path and query. */
  readonly url?: string | undefined
}

/** The text of a refusal in the dialect of the reference. Ours where the reference has no such refusal. */
export function referenceTextOf(error: AclError, refused: Refused): string {
  const { endpoint, status } = refused
  const { texts, decoding, isBadRequest } = (endpoint && ROUTES[endpoint]) ?? {}
  const [name = ''] = /[a-z]\w*/i.exec(error.details.field ?? '') ?? []
  const keys = [`${error.code} ${name}`, error.code] as const
  const of = (wordings: Wordings = {}) => wordings[keys[0]] ?? wordings[keys[1]]
  // Some refusals lack a right to any record of a kind, and then there is nothing to name.
  const isUnnamed = error.details.missing !== undefined && error.details.missing.segment === undefined
  const wording = (isUnnamed ? undefined : of(texts)) ?? of(EVERYWHERE)
  const undecodable = of(texts) === undefined && decoding && decodingProblem(error)
  const text = undecodable ? `${decoding}: ${undecodable}` : worded(wording, error, refused)
  return isBadRequest && status === 400 ? `Bad request: ${text}` : text
}

function worded(
  wording: Wording | undefined,
  { message, details }: AclError,
  { params = {}, url = '' }: Refused,
): string {
  if (typeof wording === 'function')
    return wording(message, new URLSearchParams(/\?(.*)/s.exec(url)?.[1] ?? ''))
  const known: Readonly<Record<string, string>> = { ...params, ...details.missing }
  return wording?.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? '') ?? message
}

const GO_TYPES: Readonly<Record<string, string>> = { string: 'string', boolean: 'bool', number: 'int' }

/** Codes that {@link decodingProblem} words. */
const DECODING_CODES: ReadonlySet<AclErrorCode> = new Set([
  'body_required',
  'body_malformed',
  'field_unknown',
  'field_type',
])

/** Why a body could not be decoded, as the decoder of the reference says it. */
function decodingProblem({ code, message, details }: AclError): string | undefined {
  if (code === 'body_required') return 'EOF'
  if (code === 'body_malformed' && details.syntax) {
    const { found, where } = details.syntax
    return found === undefined ? 'unexpected EOF' : `invalid character '${found}' ${where}`
  }
  const [, duration] = /invalid duration ("[^"]*")$/.exec(message) ?? []
  if (duration !== undefined) return `time: invalid duration ${duration}`
  if (code === 'field_unknown') return `json: unknown field "${/\w+$/.exec(details.field ?? '')?.[0] ?? ''}"`
  const [, field, expected = '', received] = /^(\w+): expected (\w+), received (\w+)$/.exec(message) ?? []
  const type = GO_TYPES[expected]
  return code === 'field_type' && type
    ? `json: cannot unmarshal ${received} into Go struct field .${field} of type ${type}`
    : undefined
}

const READ_HEADERS = /-(?:Index|KnownLeader|LastContact)$/

/** Refusals after which the reference still knows its leader: it had the answer of a server. */
const OF_ANSWERED: ReadonlySet<string> = new Set(['not_found', 'tokens.self caller_unknown'])

/** The headers of an answer as the reference sends them. @param refusal absent: the answer is no refusal. */
export function referenceHeadersOf(
  headers: Readonly<Record<string, string>>,
  endpoint: EndpointName | undefined,
  refusal?: AclErrorCode,
): Readonly<Record<string, string>> {
  const { readHeaders } = (endpoint && ROUTES[endpoint]) ?? {}
  const isAnswered = !refusal || OF_ANSWERED.has(refusal) || OF_ANSWERED.has(`${endpoint} ${refusal}`)
  const hasNone =
    readHeaders === 'none' ||
    refusal === 'query_invalid' ||
    (readHeaders === 'unlessRefused' && !isAnswered) ||
    (readHeaders === 'found' && refusal === 'not_found')
  if (isAnswered && !hasNone) return headers
  const kept = Object.entries(headers).filter(([name]) => !(hasNone && READ_HEADERS.test(name)))
  return Object.fromEntries(
    kept.map(([name, value]) => [name, name.endsWith('-KnownLeader') ? 'false' : value]),
  )
}

/**
 * How the reference words a code, for the documentation. `fixed`: its text on every route that has none of its own.
 * `reworded`: at least one route has a text of the reference.
 */
export function referenceWordingOf(code: AclErrorCode): {
  readonly fixed?: string
  readonly reworded: boolean
} {
  const has = (wordings: Wordings = {}) => Object.keys(wordings).some((key) => key.split(' ')[0] === code)
  const everywhere = EVERYWHERE[code]
  return {
    ...(typeof everywhere === 'string' ? { fixed: everywhere } : {}),
    reworded:
      DECODING_CODES.has(code) || has(EVERYWHERE) || Object.values(ROUTES).some(({ texts }) => has(texts)),
  }
}
