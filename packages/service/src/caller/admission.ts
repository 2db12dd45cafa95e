/** Whether a request may be made: freshness, legacy mode, caller and right. All of it is checked again when a wait ends. */

import type { Directory } from '@latchkey/acl'
import { DEFAULT_NAMESPACE, legacyModeError } from '@latchkey/acl'
import { AclError, type AnyRoute, limits, type Right } from '@latchkey/contract'
import type { AnyCall, Context } from '../handler.ts'
import type { ServiceOptions } from '../options.ts'
import { type NamespaceQuery, resolveNamespace } from '../request/namespace.ts'
import { KNOWN_HERE, type ParsedRequest } from '../request/parse.ts'
import type { ReadOptions } from '../request/read-options.ts'
import type { ConsistencyMode, Freshness, Store, TableName } from '../store/store.ts'
import { aclModeOf } from './acl-mode.ts'
import type { Caller, Callers, Presented } from './caller.ts'
import { requireEndpointRight } from './endpoint-right.ts'

/** What every call has from the service. */
export type CallServices = Pick<
  Context,
  'callers' | 'texts' | 'openapi' | 'turns' | 'lane' | 'writeLane' | 'walkLane' | 'textLane'
>

/** What a request is judged on. */
interface Basis {
  /** At least as fresh as the request asked for. */
  readonly mode: ConsistencyMode
  readonly service: ServiceOptions
}

/** The moment at which a request is judged. */
interface Moment extends Basis {
  readonly directory: Directory
  /** Of the route's table, taken before the directory: an answer may be newer than its index, never older. */
  readonly tableIndex: number
}

/** Decides whether a request may be made, and by whom. */
export class Admission {
  private readonly options: ServiceOptions
  /** The same over the store's view for stale reads. */
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
   *
   * @returns undefined if something must be waited for: see {@link admit}.
   * @throws AclError as {@link admit}.
   */
  peek(asked: ParsedRequest, options = asked.options): AnyCall | undefined {
    const freshness = this.options.store.memory?.freshness(options.mode)
    if (!freshness || isTooOld(freshness, options)) return undefined
    return this.peekAt(asked, this.basisOf(asked, options.mode, freshness))
  }

  /**
   * The call of a request that may be made, without its body.
   *
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

  /** Admits the sender of a body. A refusal from memory may be out of date, so the database has the last word. */
  async admitBody(asked: ParsedRequest): Promise<AnyCall> {
    try {
      const call = this.peek(asked, KNOWN_HERE)
      if (call) return call
    } catch (error) {
      if (!(error instanceof AclError)) throw error
    }
    return this.admit(asked)
  }

  /** Judges a call again after its handler has waited. Stale reads keep their first authorization. */
  async readmit(asked: ParsedRequest, call: AnyCall): Promise<AnyCall> {
    return call.mode === 'stale' ? call : this.admitAt(asked, call)
  }

  private basisOf(asked: ParsedRequest, mode: ConsistencyMode, freshness: Freshness): Basis {
    if (asked.route.blocking) asked.state.setFreshness(freshness)
    return { mode, service: mode === 'stale' ? this.staleOptions : this.options }
  }

  private peekAt(asked: ParsedRequest, basis: Basis): AnyCall | undefined {
    const { memory } = basis.service.store
    if (!memory || asked.route.right === 'none') return undefined
    const moment = momentOf(asked, basis)
    const presented = this.callers.peek(secretOf(asked, basis), memory)
    const rights = presented && this.callers.peekRights(presented.token, moment.directory)
    return rights && this.callBy({ ...presented, ...rights }, asked, moment)
  }

  private async admitAt(asked: ParsedRequest, basis: Basis): Promise<AnyCall> {
    const call = this.peekAt(asked, basis)
    if (call) return call
    const { store } = basis.service
    for (;;) {
      const moment = momentOf(asked, basis)
      const presented = await this.present(secretOf(asked, basis), asked.route.right, store)
      // A token just read may be newer than the directory that its links point into.
      if (store.directory().version !== moment.directory.version) continue
      // The directory may change while rights are found; the rights of that moment are still consistent.
      const rights = await this.callers.rightsOf(presented.token, moment.directory)
      return this.callBy({ ...presented, ...rights }, asked, moment)
    }
  }

  /** Endpoints that need no right ignore an unknown secret. */
  private async present(secretId: string | undefined, right: Right, store: Store): Promise<Presented> {
    try {
      return await this.callers.resolve(secretId, store)
    } catch (error) {
      if (right !== 'none' || !(error instanceof AclError) || error.code !== 'caller_unknown') throw error
      return { ...(await this.callers.resolve(undefined, store)), unknown: true }
    }
  }

  private callBy(
    caller: Caller,
    asked: ParsedRequest,
    { service, mode, directory, tableIndex }: Moment,
  ): AnyCall {
    const { route, params, query, state } = asked
    if (caller.presented) state.accessorId = caller.token.AccessorID
    const requested = asked.requestedNamespace
    const namespace = resolveNamespace(requested === '*' ? undefined : requested, caller)
    if (service.aclEnabled) {
      const { nodeName } = service
      requireEndpointRight(caller, route.right, { namespace: homeOf(route, namespace, caller), nodeName })
      const { 'authmethod-ns': methodNamespace } = query as NamespaceQuery
      if (methodNamespace !== undefined && service.edition === 'extended')
        requireEndpointRight(caller, route.right, { namespace: methodNamespace, nodeName })
    }
    const { callers, texts, openapi, turns, lane, writeLane, walkLane, textLane } = this.services
    return {
      service,
      callers,
      texts,
      openapi,
      turns,
      lane,
      writeLane,
      walkLane,
      textLane,
      route,
      params,
      query,
      body: undefined,
      mode,
      caller,
      directory,
      tableIndex,
      namespace,
      allNamespaces: requested === '*',
      isBlocking: asked.options.index > 0,
      signal: asked.request.signal,
      now: service.clock.now(),
    }
  }
}

/**
 * Where the caller needs the right of a route. What is in no namespace is the cluster's, and its rights are those of
 * `default` (spec 4.9.5). Where the body may name another, the caller must have the right at home, and the handler holds it
 * to the right there (spec 4.9.1).
 */
function homeOf(route: AnyRoute, namespace: string, { token }: Caller): string {
  if (!route.namespaced) return DEFAULT_NAMESPACE
  return route.namespaceInBody ? token.Namespace : namespace
}

/** @throws AclError `legacy_mode`. */
function momentOf({ route, state }: ParsedRequest, { mode, service }: Basis): Moment {
  const tableIndex = service.store.tableIndex(tableOf(route))
  // A refusal carries it too: what ended a wait may be that the caller is gone.
  if (route.blocking) state.setIndex(tableIndex)
  const directory = service.store.directory()
  if (route.refusedInLegacyMode && aclModeOf(directory) === 'legacy') {
    throw legacyModeError(service.cluster.legacyModeWaitsFor())
  }
  return { mode, service, directory, tableIndex }
}

/** Whether `max_stale` rules out what a stale read would show. */
function isTooOld({ lastContactMs }: Freshness, { maxStaleMs }: ReadOptions): boolean {
  return maxStaleMs !== undefined && lastContactMs > maxStaleMs
}

function secretOf(asked: ParsedRequest, { service }: Basis): string | undefined {
  return service.aclEnabled && !isForAnyone(asked) ? asked.secretId : undefined
}

/** The table whose highest index the answers of a route carry. Decisions: blocking queries. */
export function tableOf({ blocking = 'tokens' }: AnyRoute): TableName {
  return blocking
}

/** Whether the caller does not matter: the endpoint answers from the process itself, and a body is short. */
function isForAnyone({ route, request }: ParsedRequest): boolean {
  if (route.local === undefined || route.body === undefined) return route.local === true
  // Without an announced length the body may be long.
  return Number(request.header('content-length') ?? Number.NaN) <= limits.ANONYMOUS_BODY_BYTES_MAX
}
