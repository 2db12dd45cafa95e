/** The outcome of a client call, given the server and agent that handle it. Every rule cites its row of the spec. */
import {
  absentFieldsOf,
  isBefore,
  matchPath,
  profileOf,
  ROUTES,
  type ServiceVersion,
} from '@latchkey/contract'
import {
  INTENTIONS_AS_ENTRIES,
  isAtLeast,
  isIn,
  LEGACY_REMOVED,
  NEW_ACLS,
  range,
  version,
} from '../version.ts'
import type { CallContext, CallKind, Outcome } from './call.ts'

type Rule = (context: CallContext) => Outcome | undefined

const RPC = 'rpc error making call: '
const NO_CONNECTION = 'rpc error getting client: failed to get conn'
const NO_LEADER = failure('no-leader', 500, 'No cluster leader')
const ACL_DISABLED = failure('acl-disabled', 401, 'ACL support disabled')

/** @returns undefined if the client gets the same answer as before the upgrade. */
export function outcomeOf(call: CallKind, context: CallContext): Outcome | undefined {
  const { server, agent } = context
  if (server.state === 'paused') return failure('timeout', undefined, 'no answer')
  if (server.state === 'down') {
    return agent === undefined
      ? failure('unreachable', undefined, 'connection refused')
      : failure('unreachable', 500, NO_CONNECTION)
  }
  // In new mode, a secondary whose replication token has only acl:read does not find global tokens.
  const isLost = context.tokenSource === 'nothing' && context.model !== 'latchkey' && server.mode === 'new'
  if (isLost && SENDS_TOKEN.has(call)) return failure('token-unknown', 403, 'ACL not found')
  return RULES[call](context)
}

const SENDS_TOKEN: ReadonlySet<CallKind> = new Set([
  ...(['new', 'kv-read', 'service-watch', 'tag-filter', 'session', 'agent-self'] as const),
  ...(['intention-list', 'intention-read', 'intention-write', 'intention-config-write'] as const),
])

function forwarded({ model, isPrimary, isPrimaryReached, primaryLeader }: CallContext): Outcome | undefined {
  if (model === 'latchkey' || isPrimary) return undefined
  if (!isPrimaryReached) return failure('primary-unreachable', 500, NO_CONNECTION)
  return primaryLeader === undefined ? NO_LEADER : undefined
}

const EDITED_TEXT =
  'cannot use legacy intention API to edit intentions with a destination of "…" after editing them via a service-intentions config entry'
const TRANSLATE_TEXT = 'X-…-Translate-Addresses where translation is on; TaggedAddresses with "lan"'

const RULES: Readonly<Record<CallKind, Rule>> = {
  // Spec 9.1, 9.2.1.
  new: (context) => {
    const { server, agent, hasLeader, model } = context
    if (isBefore(edgeOf(context), NEW_ACLS)) {
      return failure('endpoint-unknown', 404, '(empty body)')
    }
    if (agent !== undefined && isBefore(server.version, NEW_ACLS)) {
      return failure('method-unknown', 500, `${RPC}rpc: can't find method ACL.TokenList`)
    }
    if (server.mode === 'off') return ACL_DISABLED
    if (server.mode === 'legacy') {
      const status = model === 'latchkey' ? 403 : 500
      return failure('legacy-mode', status, 'The ACL system is currently in legacy mode.')
    }
    if (context.tokenSource === 'primary') return forwarded(context)
    return hasLeader || model === 'latchkey' ? undefined : NO_LEADER
  },
  // Spec 9.1, 9.2.4.
  legacy: (context) => {
    const { server, agent, hasLeader, model } = context
    if (isAtLeast(edgeOf(context), LEGACY_REMOVED)) {
      return failure('endpoint-removed', 410, REMOVED)
    }
    if (agent !== undefined && isAtLeast(server.version, LEGACY_REMOVED)) {
      return failure('method-unknown', 500, `${RPC}rpc: can't find method ACL.List`)
    }
    if (server.mode === 'off') return ACL_DISABLED
    if (!context.isPrimary) return forwarded(context)
    return hasLeader || model === 'latchkey' ? undefined : NO_LEADER
  },
  // Spec 9.2.1.
  bootstrap: (context) => {
    const { server, bootstrapped, model, isPrimary, isBootstrapRecorded } = context
    if (server.mode === 'legacy') return RULES.new(context)
    if (server.mode !== 'new' || model === 'latchkey') return undefined
    if (!isPrimary) {
      return failure('bootstrap-in-secondary', 500, 'ACL support disabled')
    }
    if (isBootstrapRecorded && bootstrapped === false) {
      const text = 'Permission denied: ACL bootstrap no longer allowed (reset index: …)'
      return failure('bootstrap-closed', 403, text)
    }
    if (isBootstrapRecorded || bootstrapped !== true) return undefined
    const text = 'a management token, without authentication, where bootstrap was refused before'
    return change('bootstrap-reopened', 200, text)
  },
  // Spec 9.3 (1.0), 5.4.
  'kv-read': ({ server, agent }) => {
    if (isBefore(server.version, version('1.0.0'))) return undefined
    const prefix = agent !== undefined && isBefore(agent, version('1.0.0')) ? 'rpc error: ' : ''
    return change('kv-forbidden', 403, `${prefix}Permission denied`)
  },
  // Spec 9.3 (1.0.7): a single call shows nothing; service-index.ts counts the decreases between two calls.
  'service-watch': () => undefined,
  // Spec 9.3 (1.3.0).
  'tag-filter': (context) => {
    const { server } = context
    const edge = edgeOf(context)
    if (isBefore(edge, version('1.3.0')) && isIn(server.version, [range('1.3.0', '1.3.1')])) {
      return change('tag-ignored', 200, 'all instances, whatever the tag')
    }
    if (isAtLeast(edge, version('1.3.0')) && isBefore(server.version, version('1.3.0'))) {
      return change('tag-no-instance', 200, 'no instance at all')
    }
    return undefined
  },
  // Spec 7, 9.3 (1.7.0).
  'unknown-field': (context) => {
    const edge = edgeOf(context)
    if (isBefore(edge, version('1.7.0'))) return undefined
    const { path = '', field = '…' } = context.payload
    if (knowsField(path, field, edge)) return undefined
    const text = `json: unknown field ${JSON.stringify(field)}`
    const rule = DECODERS.find(({ paths }) => paths.test(path))
    if (rule === undefined) return failure('unknown-field', 400, text)
    if (rule.prefix === undefined) return undefined
    return failure('unknown-field', rule.status ?? 400, `${rule.prefix}: ${text}`)
  },
  // Spec 9.3 (1.7.0): info and renew between the two sides of 1.7.0, fixed in both directions in 1.7.2.
  session: (context) => {
    const faulty = [range('1.7.0', '1.7.2')]
    const edge = edgeOf(context)
    const { server } = context
    const isOld = (each: ServiceVersion) => isBefore(each, version('1.7.0'))
    const isRejected =
      (isOld(edge) && isIn(server.version, faulty)) || (isIn(edge, faulty) && isOld(server.version))
    if (!isRejected) return undefined
    const text = `${RPC}failed session lookup: index error: UUID must be 36 characters`
    return failure('session-rejected', 500, text)
  },
  // Spec 9.3 (1.7.0).
  'ptr-query': changedAt(
    '1.7.0',
    change('ptr-name-changed', undefined, 'web.service.dc1.… instead of web.service.…'),
  ),
  // Spec 9.3 (1.0), 9.4.
  'wrong-method': changedAt('1.0.0', failure('wrong-method', 405, 'method POST not allowed')),
  // Spec 9.3 (1.0).
  'agent-self': changedAt(
    '1.0.0',
    change('config-reduced', 200, 'Config is reduced; DebugConfig has the rest'),
  ),
  // Spec 9.3 (0.7).
  'address-translation': changedAt('0.7.0', change('translate-header', 200, TRANSLATE_TEXT)),
  // Spec 9.3 (1.9.0).
  'intention-list': ({ server }) =>
    isBefore(server.version, INTENTIONS_AS_ENTRIES)
      ? undefined
      : change('intentions-of-one-namespace', 200, 'one namespace only, without ns=*'),
  // Spec 9.5.2: reads are always answered.
  'intention-read': () => undefined,
  'intention-write': (context) =>
    blockedIntention(context) ??
    (context.isEdited ? failure('intention-id-gone', 500, EDITED_TEXT) : undefined),
  'intention-config-write': (context) => {
    const isUnknown = (each: ServiceVersion) => isBefore(each, INTENTIONS_AS_ENTRIES)
    const { primaryLeader, isPrimaryReached } = context
    if (primaryLeader !== undefined && isPrimaryReached) {
      const status = isUnknown(edgeOf(context)) ? 400 : isUnknown(primaryLeader) ? 500 : undefined
      const text = 'invalid config entry kind: service-intentions'
      if (status !== undefined) return failure('config-kind-unknown', status, text)
    }
    return blockedIntention(context)
  },
}

/** The primary handles writes, and blocks them from its first leader of 1.9.0 until the migration is done. Spec 9.5.2. */
function blockedIntention(context: CallContext): Outcome | undefined {
  const { primaryLeader, isPrimaryReached, server, agent } = context
  if (primaryLeader === undefined || !isPrimaryReached) return NO_LEADER
  if (isBefore(primaryLeader, INTENTIONS_AS_ENTRIES) || context.intentionsAreMigrated) return undefined
  const text = 'Intentions are read only while being upgraded to config entries'
  return failure('intentions-blocked', 500, server.isLeader && agent === undefined ? text : RPC + text)
}

/** How bodies are decoded from 1.7.0 on. Endpoints without a prefix accept any field, or refused before. */
const DECODERS: readonly { readonly paths: RegExp; readonly prefix?: string; readonly status?: number }[] = [
  { paths: /^\/v1\/acl\/token/, prefix: 'Bad request: Token decoding failed' },
  { paths: /^\/v1\/acl\/policy/, prefix: 'Bad request: Policy decoding failed' },
  { paths: /^\/v1\/(session\/create|event\/fire|config|kv)/ },
  { paths: /^\/v1\/connect\/intentions/, prefix: 'Failed to decode request body', status: 500 },
  { paths: /^\/v1\/txn/, prefix: 'Failed to parse body' },
  { paths: /^\/v1\/(agent|catalog|query|acl\/(create|update))/, prefix: 'Request decode failed' },
]

/** Whether a version knows a top-level field of a body, in any case. */
function knowsField(path: string, field: string, edge: ServiceVersion): boolean {
  const match = matchPath(path.replace(/^\/v1/, ''))
  const name = (match?.routeOf('PUT') ?? match?.routeOf('POST'))?.name
  const schema = name === undefined ? undefined : ROUTES[name].schemas.body
  if (schema === undefined || !('shape' in schema)) return false
  const absent = absentFieldsOf(schema, profileOf(edge))
  return Object.keys(schema.shape as object).some(
    (each) => each.toLowerCase() === field.toLowerCase() && !absent.has(each),
  )
}

const REMOVED = 'Endpoint /v1/acl/… for the legacy ACL system was removed in 1.11.'

/** The outcome of a connection over the limit of the version. Spec 8. */
export function refusedConnection(edge: ServiceVersion): Outcome {
  if (isBefore(edge, version('1.9.0'))) {
    return failure('connection-closed', undefined, 'closed without a byte: end of file or reset')
  }
  const text = 'Your IP is issuing too many concurrent connections, please rate limit your calls'
  return failure('connection-refused-429', 429, text)
}

function changedAt(since: string, outcome: Outcome): Rule {
  return (context) => (isBefore(edgeOf(context), version(since)) ? undefined : outcome)
}

function edgeOf({ agent, server }: CallContext): ServiceVersion {
  return agent ?? server.version
}

function failure(kind: string, status: number | undefined, text: string): Outcome {
  return { kind, status, text, isError: true }
}

function change(kind: string, status: number | undefined, text: string): Outcome {
  return { kind, status, text, isError: false }
}
