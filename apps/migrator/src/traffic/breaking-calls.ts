/** The calls that break, or whose answer changes, at a target version, from the contract's gates and tables. */
import {
  GATES,
  type GateName,
  legacyEndpointOf,
  profileOf,
  requiredMethodOf,
  type ServiceVersion,
} from '@latchkey/contract'
import type { LoggedCall } from './logged-call.ts'

export interface CallVerdict {
  readonly gate: GateName
  readonly breaks: boolean
  /** The call with parameter names instead of values, because a path may contain a secret. */
  readonly call: string
  readonly what: string
  readonly replacement: string
}

export function judgeCall(call: LoggedCall, to: ServiceVersion): CallVerdict | undefined {
  const profile = profileOf(to)
  const method = call.method.toUpperCase()
  const path = call.path.replace(PREFIX, '').replace(/(?<=.)\/+$/, '')
  const legacy = legacyEndpointOf(path)
  if (legacy !== undefined && !profile.has('api.legacy')) {
    return verdict('api.legacy', true, `${method} /v1${template(legacy.path)}`, legacy.replacement)
  }
  const required = requiredMethodOf(path)
  if (required !== undefined && required.method !== method && profile.has('http.enforceMethods')) {
    const isAnswered = method === 'OPTIONS' && profile.has('http.allowListsOptions')
    if (!isAnswered) {
      const shown = template(required.path)
      return verdict('http.enforceMethods', true, `${method} /v1${shown}`, `${required.method} /v1${shown}`)
    }
  }
  return SURPRISES.flatMap(({ gate, matches, call: shown, breaks, replacement }) =>
    profile.has(gate) && matches(method, path, call)
      ? [verdict(gate, breaks, `${method} ${shown}`, replacement)]
      : [],
  )[0]
}

/** A proxy may serve the API below a path of its own. */
const PREFIX = /^(?:\/[\w.-]+){0,4}?\/v1(?=\/|$)/

interface Surprise {
  readonly gate: GateName
  readonly matches: (method: string, path: string, call: LoggedCall) => boolean
  readonly call: string
  readonly breaks: boolean
  readonly replacement: string
}

const SURPRISES: readonly Surprise[] = [
  {
    gate: 'session.incompatibleQueries',
    matches: (_, path) => path.startsWith('/session/info') || path.startsWith('/session/renew'),
    call: '/v1/session/…',
    breaks: true,
    replacement: 'the same call at 1.7.2 or later: do not stop at this version',
  },
  {
    gate: 'catalog.tagFilterIgnored',
    matches: (_, path, { options }) => path.startsWith('/catalog/service/') && options.has('tag'),
    call: '/v1/catalog/service/:service?tag=',
    breaks: true,
    replacement: 'the same call at 1.3.1 or later: do not stop at this version',
  },
  {
    gate: 'kv.forbidden403',
    matches: (method, path, { status, options }) =>
      method === 'GET' &&
      path.startsWith('/kv/') &&
      status === 404 &&
      !options.has('recurse') &&
      !options.has('keys'),
    call: '/v1/kv/:key',
    breaks: false,
    replacement: 'the same call, with a client that treats 403 as a missing right',
  },
  {
    gate: 'agent.reducedSelf',
    matches: (_, path) => path === '/agent/self',
    call: '/v1/agent/self',
    breaks: false,
    replacement: 'the same call; the rest of Config is under DebugConfig, whose form may change',
  },
  {
    gate: 'catalog.serviceIndex',
    matches: (_, path, { options }) =>
      (path.startsWith('/health/service/') || path.startsWith('/catalog/service/')) && options.has('index'),
    call: '/v1/health/service/:service?index=',
    breaks: false,
    replacement: 'the same call, with a client that restarts from 0 when the index decreases',
  },
  {
    gate: 'intentions.listByNamespace',
    matches: (method, path, { options }) =>
      method === 'GET' && path === '/connect/intentions' && !options.has('ns'),
    call: '/v1/connect/intentions',
    breaks: false,
    replacement: 'GET /v1/connect/intentions?ns=* for all namespaces (extended edition)',
  },
]

function verdict(gate: GateName, breaks: boolean, call: string, replacement: string): CallVerdict {
  return { gate, breaks, call, what: GATES[gate].clientSees, replacement }
}

function template(path: string): string {
  return path.endsWith('/') ? `${path}:id` : path
}
