/** The outcome of a client call, given the server and agent that handle it. Every rule cites its row of the spec. */
import { isBefore, type ServiceVersion } from '@latchkey/contract'
import { isAtLeast, isIn, LEGACY_REMOVED, NEW_ACLS, range, version } from '../version.ts'
import { type CallContext, type CallKind, edgeOf, NO_LEADER, type Outcome, RPC, type Rule } from './call.ts'
import { INTENTION_RULES } from './intention-outcomes.ts'

/** @returns undefined if the client gets the same answer as before the upgrade. */
export function outcomeOf(call: CallKind, context: CallContext): Outcome | undefined {
  const { server, agent } = context
  if (server.state === 'down' && agent === undefined) {
    return { kind: 'unreachable', text: 'connection refused', isError: true }
  }
  if (server.state === 'paused') return { kind: 'timeout', text: 'no answer', isError: true }
  if (server.state === 'down') {
    return {
      kind: 'unreachable',
      status: 500,
      text: 'rpc error getting client: failed to get conn',
      isError: true,
    }
  }
  return (SENDS_TOKEN.has(call) ? missingToken(context) : undefined) ?? RULES[call](context)
}

/** Calls whose token is resolved in the server's own datacenter. */
const SENDS_TOKEN: ReadonlySet<CallKind> = new Set([
  'new',
  'kv-read',
  'service-watch',
  'tag-filter',
  'session',
  'agent-self',
  'intention-list',
  'intention-read',
  'intention-write',
  'intention-config-write',
])

/** In new mode, a secondary whose replication token has only acl:read does not find global tokens. */
function missingToken({ model, server, tokenSource }: CallContext): Outcome | undefined {
  if (model === 'latchkey' || server.mode !== 'new' || tokenSource !== 'nothing') return undefined
  return { kind: 'token-unknown', status: 403, text: 'ACL not found', isError: true }
}

/** The outcome of forwarding a call from a secondary to its primary, if forwarding fails. */
function forwarded({ model, isPrimary, isPrimaryReached, primaryLeader }: CallContext): Outcome | undefined {
  if (model === 'latchkey' || isPrimary) return undefined
  if (!isPrimaryReached) {
    const text = 'rpc error getting client: failed to get conn'
    return { kind: 'primary-unreachable', status: 500, text, isError: true }
  }
  return primaryLeader === undefined ? NO_LEADER : undefined
}

const RULES: Readonly<Record<CallKind, Rule>> = {
  // Spec 9.1, 9.2.1.
  new: (context) => {
    const { server, agent, hasLeader, model } = context
    if (isBefore(edgeOf(context), NEW_ACLS)) {
      return { kind: 'endpoint-unknown', status: 404, text: '(empty body)', isError: true }
    }
    if (agent !== undefined && isBefore(server.version, NEW_ACLS)) {
      return {
        kind: 'method-unknown',
        status: 500,
        text: `${RPC}rpc: can't find method ACL.TokenList`,
        isError: true,
      }
    }
    if (server.mode === 'off')
      return { kind: 'acl-disabled', status: 401, text: 'ACL support disabled', isError: true }
    if (server.mode === 'legacy') {
      const status = model === 'latchkey' ? 403 : 500
      return {
        kind: 'legacy-mode',
        status,
        text: 'The ACL system is currently in legacy mode.',
        isError: true,
      }
    }
    if (context.tokenSource === 'primary') return forwarded(context)
    return hasLeader || model === 'latchkey' ? undefined : NO_LEADER
  },
  // Spec 9.1, 9.2.4.
  legacy: (context) => {
    const { server, agent, hasLeader, model } = context
    if (isAtLeast(edgeOf(context), LEGACY_REMOVED)) {
      return { kind: 'endpoint-removed', status: 410, text: REMOVED, isError: true }
    }
    if (agent !== undefined && isAtLeast(server.version, LEGACY_REMOVED)) {
      return {
        kind: 'method-unknown',
        status: 500,
        text: `${RPC}rpc: can't find method ACL.List`,
        isError: true,
      }
    }
    if (server.mode === 'off')
      return { kind: 'acl-disabled', status: 401, text: 'ACL support disabled', isError: true }
    if (!context.isPrimary) return forwarded(context)
    return hasLeader || model === 'latchkey' ? undefined : NO_LEADER
  },
  // Spec 9.2.1.
  bootstrap: (context) => {
    const { server, bootstrapped, model, isPrimary, isBootstrapRecorded } = context
    if (server.mode === 'legacy') return RULES.new(context)
    if (server.mode !== 'new' || model === 'latchkey') return undefined
    if (!isPrimary) {
      return { kind: 'bootstrap-in-secondary', status: 500, text: 'ACL support disabled', isError: true }
    }
    if (isBootstrapRecorded && bootstrapped === false) {
      return {
        kind: 'bootstrap-closed',
        status: 403,
        text: 'Permission denied: ACL bootstrap no longer allowed (reset index: …)',
        isError: true,
      }
    }
    if (isBootstrapRecorded || bootstrapped !== true) return undefined
    return {
      kind: 'bootstrap-reopened',
      status: 200,
      text: 'a management token, without authentication, where bootstrap was refused before',
      isError: false,
    }
  },
  // Spec 9.3 (1.0), 5.4.
  'kv-read': ({ server, agent }) => {
    if (isBefore(server.version, version('1.0.0'))) return undefined
    const prefix = agent !== undefined && isBefore(agent, version('1.0.0')) ? 'rpc error: ' : ''
    return { kind: 'kv-forbidden', status: 403, text: `${prefix}Permission denied`, isError: false }
  },
  // Spec 9.3 (1.0.7): a single call shows nothing; service-index.ts counts the decreases between two calls.
  'service-watch': () => undefined,
  // Spec 9.3 (1.3.0).
  'tag-filter': (context) => {
    const { server } = context
    const edge = edgeOf(context)
    if (isBefore(edge, version('1.3.0')) && isIn(server.version, [range('1.3.0', '1.3.1')])) {
      return { kind: 'tag-ignored', status: 200, text: 'all instances, whatever the tag', isError: false }
    }
    if (isAtLeast(edge, version('1.3.0')) && isBefore(server.version, version('1.3.0'))) {
      return { kind: 'tag-no-instance', status: 200, text: 'no instance at all', isError: false }
    }
    return undefined
  },
  // Spec 7, 9.3 (1.7.0).
  'unknown-field': (context) => {
    if (isBefore(edgeOf(context), version('1.7.0'))) return undefined
    const { path = '', field = '…' } = context.payload
    const text = `json: unknown field ${JSON.stringify(field)}`
    const rule = DECODERS.find(({ paths }) => paths.test(path))
    if (rule === undefined) return { kind: 'unknown-field', status: 400, text, isError: true }
    if (rule.prefix === undefined) return undefined
    return {
      kind: 'unknown-field',
      status: rule.status ?? 400,
      text: `${rule.prefix}: ${text}`,
      isError: true,
    }
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
    return { kind: 'session-rejected', status: 500, text, isError: true }
  },
  // Spec 9.3 (1.7.0).
  'ptr-query': (context) => {
    if (isBefore(edgeOf(context), version('1.7.0'))) return undefined
    return { kind: 'ptr-name-changed', text: 'web.service.dc1.… instead of web.service.…', isError: false }
  },
  // Spec 9.3 (1.0), 9.4.
  'wrong-method': (context) => {
    if (isBefore(edgeOf(context), version('1.0.0'))) return undefined
    return { kind: 'wrong-method', status: 405, text: 'method POST not allowed', isError: true }
  },
  // Spec 9.3 (1.0).
  'agent-self': (context) => {
    if (isBefore(edgeOf(context), version('1.0.0'))) return undefined
    return {
      kind: 'config-reduced',
      status: 200,
      text: 'Config is reduced; DebugConfig has the rest',
      isError: false,
    }
  },
  // Spec 9.3 (0.7).
  'address-translation': (context) => {
    if (isBefore(edgeOf(context), version('0.7.0'))) return undefined
    const text = 'X-…-Translate-Addresses where translation is on; TaggedAddresses with "lan"'
    return { kind: 'translate-header', status: 200, text, isError: false }
  },
  ...INTENTION_RULES,
}

/**
 * How endpoints of 1.7.0 and later decode bodies. Endpoints without a prefix accept any field, or already refused unknown
 * fields before.
 */
const DECODERS: readonly { readonly paths: RegExp; readonly prefix?: string; readonly status?: number }[] = [
  { paths: /^\/v1\/acl\/token/, prefix: 'Bad request: Token decoding failed' },
  { paths: /^\/v1\/acl\/policy/, prefix: 'Bad request: Policy decoding failed' },
  { paths: /^\/v1\/(session\/create|event\/fire|config|kv)/ },
  { paths: /^\/v1\/connect\/intentions/, prefix: 'Failed to decode request body', status: 500 },
  { paths: /^\/v1\/txn/, prefix: 'Failed to parse body' },
  { paths: /^\/v1\/(agent|catalog|query|acl\/(create|update))/, prefix: 'Request decode failed' },
]

const REMOVED = 'Endpoint /v1/acl/… for the legacy ACL system was removed in 1.11.'

/** The outcome of a connection over the limit of the version. Spec 8. */
export function refusedConnection(edge: ServiceVersion): Outcome {
  if (isBefore(edge, version('1.9.0'))) {
    return { kind: 'connection-closed', text: 'closed without a byte: end of file or reset', isError: true }
  }
  const text = 'Your IP is issuing too many concurrent connections, please rate limit your calls'
  return { kind: 'connection-refused-429', status: 429, text, isError: true }
}
