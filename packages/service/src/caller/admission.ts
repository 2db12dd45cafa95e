/** Admits requests: checks freshness, legacy mode, caller and right, and checks all of them again when a wait ends. */
import { DEFAULT_NAMESPACE, type Directory, legacyModeError } from '@latchkey/acl'
import { AclError, type AnyRoute, limits } from '@latchkey/contract'
import type { AnyCall, CallServices } from '../handler.ts'
import { aclModeOf, type ServiceOptions } from '../options.ts'
import { type NamespaceQuery, resolveNamespace } from '../request/namespace.ts'
import { KNOWN_HERE, type ParsedRequest } from '../request/parse.ts'
import type { ReadOptions } from '../request/read-options.ts'
import type { ConsistencyMode, Freshness, IndexName } from '../store/store.ts'
import { type Caller, type Callers, callerUnknown, isCallerUnknown, type Presented } from './caller.ts'
import { refusalOfWrites, requireEndpointRight } from './endpoint-right.ts'

interface Basis {
  readonly mode: ConsistencyMode
  readonly service: ServiceOptions
}

interface Moment extends Basis {
  readonly directory: Directory
  /** Index of the route's table, read before the directory: an answer may be newer than its index, never older. */
  readonly tableIndex: number
}

export class Admission {
  private readonly options: ServiceOptions
  private readonly staleOptions: ServiceOptions
  private readonly callers: Callers
  private readonly services: CallServices

  constructor(options: ServiceOptions, services: CallServices) {
    this.options = options
    this.staleOptions = { ...options, store: options.store.stale ?? options.store }
    this.callers = services.callers
    this.services = services
  }

  /**
   * Admits a request synchronously, if freshness, caller and rights are all in memory.
   * @returns undefined if admission has to wait: see {@link admit}.
   * @throws AclError as {@link admit}.
   */
  peek(asked: ParsedRequest, options = asked.options): AnyCall | undefined {
    const freshness = this.options.store.memory?.freshness(options.mode)
    if (!freshness || isTooOld(freshness, options)) return undefined
    return this.peekAt(asked, this.basisOf(asked, options.mode, freshness))
  }

  isFresh({ options }: ParsedRequest): boolean {
    const freshness = this.options.store.memory?.freshness(options.mode)
    return freshness !== undefined && !isTooOld(freshness, options)
  }

  /**
   * Admits a request, without its body.
   *
   * Without a lease, `authorize` and `legacy.info` confirm with the database even for a request without a token: a decision
   * from memory could outlive the rights of the anonymous token. All waiting requests share one query, so their number puts
   * no load on the database.
   * @throws AclError `legacy_mode`, `caller_unknown`, `privilege_missing`, `unavailable`.
   */
  async admit(asked: ParsedRequest): Promise<AnyCall> {
    const { store } = this.options
    let { mode } = asked.options
    let freshness = await store.refresh(mode)
    if (isTooOld(freshness, asked.options)) {
      mode = 'default'
      freshness = await store.refresh(mode)
    }
    return this.admitAt(asked, this.basisOf(asked, mode, freshness))
  }

  /**
   * Admits the sender of a body, synchronously if it is in memory. A refusal from memory may be outdated and is confirmed
   * with the database.
   * @param check throws an AclError if the caller may not send the body.
   */
  admitBody(asked: ParsedRequest, check: (call: AnyCall) => void): AnyCall | Promise<AnyCall> {
    const checked = (call: AnyCall) => {
      check(call)
      return call
    }
    try {
      const call = this.peek(asked, KNOWN_HERE)
      if (call && !call.refusal) return checked(call)
    } catch (error) {
      if (!(error instanceof AclError)) throw error
    }
    return this.admit(asked).then(checked)
  }

  /** Re-authorizes a call after its handler has waited. Stale reads keep their first authorization. */
  async readmit(asked: ParsedRequest, call: AnyCall): Promise<AnyCall> {
    return call.mode === 'stale' ? call : this.admitAt(asked, call)
  }

  private basisOf(asked: ParsedRequest, mode: ConsistencyMode, freshness: Freshness): Basis {
    if (asked.route.blocking) {
      asked.state.setFreshness(freshness)
      if (this.options.profile.has('http.queryBackend'))
        asked.state.setHeader('queryBackend', 'blocking-query')
    }
    return { mode, service: mode === 'stale' ? this.staleOptions : this.options }
  }

  private peekAt(asked: ParsedRequest, basis: Basis): AnyCall | undefined {
    const { store } = basis.service
    if (!store.memory || asked.route.right === 'none') return undefined
    const moment = momentOf(asked, basis)
    const { directory } = moment
    const presented = this.callers.peek(secretOf(asked), store, { directory, heldMs: heldMsOf(asked) })
    const rights = presented && this.callers.peekRights(presented.token, moment.directory)
    return rights && this.callBy({ ...presented, ...rights }, asked, moment)
  }

  private async admitAt(asked: ParsedRequest, basis: Basis): Promise<AnyCall> {
    const call = this.peekAt(asked, basis)
    if (call) return call
    const { store } = basis.service
    for (;;) {
      const moment = momentOf(asked, basis)
      const presented = await this.present(asked, basis)
      // A token that was just loaded may be newer than the directory that its links refer to.
      if (store.directory().version !== moment.directory.version) continue
      // If the directory changes while rights are resolved, the rights from its earlier version are still consistent.
      const rights = await this.callers.rightsOf(presented.token, moment.directory)
      return this.callBy({ ...presented, ...rights }, asked, moment)
    }
  }

  /** Endpoints that need no right ignore an unknown secret. */
  private async present(asked: ParsedRequest, basis: Basis): Promise<Presented> {
    const { store } = basis.service
    try {
      return await this.callers.resolve(secretOf(asked), store, heldMsOf(asked))
    } catch (error) {
      if (asked.route.right !== 'none' || !isCallerUnknown(error)) throw error
      return { ...(await this.callers.resolve(undefined, store)), unknown: error }
    }
  }

  private callBy(
    caller: Caller,
    asked: ParsedRequest,
    { service, mode, directory, tableIndex }: Moment,
  ): AnyCall {
    const { route, params, query, state } = asked
    // The secondary does not send the secrets of its local tokens, and local tokens of this datacenter are not valid there.
    if (state.isFromSecondary && caller.token.Local) throw callerUnknown()
    if (caller.presented) state.accessorId = caller.token.AccessorID
    const requested = asked.requestedNamespace
    const namespace = resolveNamespace(requested === '*' ? undefined : requested, caller)
    const { nodeName } = service
    requireEndpointRight(caller, route.right, { namespace: homeOf(route, namespace, caller), nodeName })
    const { 'authmethod-ns': methodNamespace } = query as NamespaceQuery
    if (methodNamespace !== undefined && service.edition === 'extended')
      requireEndpointRight(caller, route.right, { namespace: methodNamespace, nodeName })
    const refusal = refusalOfWrites(caller, route)
    // The bodies of anonymous callers are not even read for the name of what they lack.
    if (refusal && !caller.presented && route.body !== undefined) throw refusal
    return {
      service,
      ...this.services,
      request: asked.request,
      family: state.family,
      route,
      params,
      query,
      body: undefined,
      mode,
      caller,
      ...(refusal ? { refusal } : {}),
      directory,
      tableIndex,
      namespace,
      allNamespaces: requested === '*',
      isBlocking: asked.options.index > 0,
      isFromSecondary: state.isFromSecondary,
      signal: asked.request.signal,
      now: service.clock.now(),
    }
  }
}

/**
 * The namespace in which the caller needs the right of a route. Resources without a namespace belong to the cluster and need
 * the right in `default` (spec 4.9.5). If the body may name a namespace, the caller needs the right in its own namespace, and
 * the handler checks the named one (spec 4.9.1).
 */
function homeOf(route: AnyRoute, namespace: string, { token }: Caller): string {
  if (!route.namespaced) return DEFAULT_NAMESPACE
  return route.namespaceInBody ? token.Namespace : namespace
}

function momentOf({ route, state }: ParsedRequest, { mode, service }: Basis): Moment {
  const tableIndex = service.store.tableIndex(tableOf(route))
  // Refusals also have the index: a wait may end because the caller's token was deleted.
  if (route.blocking) state.setIndex(tableIndex)
  const directory = service.store.directory()
  if (route.refusedInLegacyMode && aclModeOf(directory) === 'legacy') {
    const recorded = directory.system('acl-mode')?.Value
    throw legacyModeError(service.cluster.legacyModeWaitsFor(), recorded)
  }
  return { mode, service, directory, tableIndex }
}

function isTooOld({ lastContactMs }: Freshness, { maxStaleMs }: ReadOptions): boolean {
  return maxStaleMs !== undefined && lastContactMs > maxStaleMs
}

function secretOf(asked: ParsedRequest): string | undefined {
  return asked.route.ignoresToken || isForAnyone(asked) ? undefined : asked.secretId
}

function heldMsOf({ options: { index, waitMs } }: ParsedRequest): number {
  return index > 0 ? waitMs * (1 + 1 / limits.WAIT_JITTER_DIVISOR) : 0
}

/** The table whose highest index the answers of a route report. Decisions: blocking queries. */
export function tableOf({ blocking = 'tokens' }: AnyRoute): IndexName {
  return blocking
}

/** Whether any caller will do: the endpoint answers from the process itself, and the body is short. */
function isForAnyone({ route, request }: ParsedRequest): boolean {
  if (route.local === undefined || route.body === undefined) return route.local === true
  // A body without an announced length may be long.
  return Number(request.header('content-length') ?? Number.NaN) <= limits.ANONYMOUS_BODY_BYTES_MAX
}
