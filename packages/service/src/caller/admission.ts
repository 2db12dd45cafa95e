/** Whether a request may be made: freshness, legacy mode, caller and right. All of it is checked again when a wait ends. */

import type { Directory } from '@latchkey/acl'
import { andThen, DEFAULT_NAMESPACE, isPromise, legacyModeError, type MaybePromise } from '@latchkey/acl'
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
export type CallServices = Pick<Context, 'callers' | 'texts' | 'openapi' | 'turns' | 'lane' | 'writeLane'>

/** As fresh as it was asked for, or fresher. */
interface Fresh {
  readonly mode: ConsistencyMode
  readonly freshness: Freshness
}

/** What a request is judged by. */
interface Seen {
  readonly mode: ConsistencyMode
  readonly service: ServiceOptions
  readonly directory: Directory
  /** Of the route's table, taken before the directory. */
  readonly tableIndex: number
}

/**
 * Judges requests. Where the store answers from memory, all of it happens at once: nothing is awaited, so that nothing
 * can change between the judgement and a handler that answers from memory too (COH-10).
 */
export class Admission {
  private readonly options: ServiceOptions
  /** As the options, over the store's view for stale reads. */
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
   * The call of a request that may be made, without its body.
   *
   * @throws AclError `legacy_mode`, `caller_unknown`, `privilege_missing`, `unavailable`.
   */
  admit(asked: ParsedRequest): MaybePromise<AnyCall> {
    return this.admitAt(asked, asked.options)
  }

  /** Whether a request may send its body, for all that is known here; where that is a no, it may be out of date. */
  async admitBody(asked: ParsedRequest): Promise<AnyCall> {
    try {
      return await this.admitAt(asked, KNOWN_HERE)
    } catch {
      return this.admit(asked)
    }
  }

  /** The call as it would be admitted now, after what it reads has come. Stale reads keep their first authorization. */
  readmit(asked: ParsedRequest, call: AnyCall): MaybePromise<AnyCall> {
    return call.mode === 'stale' ? call : this.admitTo(asked, call)
  }

  private admitAt(asked: ParsedRequest, options: ReadOptions): MaybePromise<AnyCall> {
    return andThen(this.refresh(options), ({ mode, freshness }) => {
      const service = mode === 'stale' ? this.staleOptions : this.options
      if (asked.route.blocking) asked.state.setFreshness(freshness)
      return this.admitTo(asked, { mode, service })
    })
  }

  /** `max_stale` bounds what `stale` may show: an older state is refreshed first. */
  private refresh({ mode, maxStaleMs }: ReadOptions): MaybePromise<Fresh> {
    return andThen(this.options.store.refresh(mode), (freshness) => {
      if (maxStaleMs === undefined || freshness.lastContactMs <= maxStaleMs) return { mode, freshness }
      return andThen(this.options.store.refresh('default'), (newer) => ({
        mode: 'default',
        freshness: newer,
      }))
    })
  }

  private admitTo(
    asked: ParsedRequest,
    { mode, service }: Pick<Seen, 'mode' | 'service'>,
  ): MaybePromise<AnyCall> {
    // The index before the content it stands for: an answer may be newer than its index, never older.
    return andThen(service.store.tableIndex(tableOf(asked.route)), (tableIndex) =>
      andThen(service.store.directory(), (directory) =>
        this.admitBy(asked, { mode, service, directory, tableIndex }),
      ),
    )
  }

  private admitBy(asked: ParsedRequest, seen: Seen): MaybePromise<AnyCall> {
    const { route } = asked
    const { service, directory } = seen
    if (route.refusedInLegacyMode && aclModeOf(directory) === 'legacy') {
      throw legacyModeError(service.cluster.legacyModeWaitsFor())
    }
    const secretId = service.aclEnabled ? asked.secretId : undefined
    const presented = this.presentedBy(isAnyones(asked) ? undefined : secretId, route.right, service.store)
    if (!isPromise(presented)) return this.admitToken(presented, asked, seen)
    return presented.then(async (token) => {
      const isSame = (await service.store.directory()).version === directory.version
      // The token that was read may be newer than the directory that its links point into.
      return isSame ? this.admitToken(token, asked, seen) : this.admitTo(asked, seen)
    })
  }

  /** An endpoint that needs no right takes no notice of an unknown secret. Reference 3. */
  private presentedBy(secretId: string | undefined, right: Right, store: Store): MaybePromise<Presented> {
    return right === 'none' ? this.tokenOrNobody(secretId, store) : this.callers.resolve(secretId, store)
  }

  private async tokenOrNobody(secretId: string | undefined, store: Store): Promise<Presented> {
    try {
      return await this.callers.resolve(secretId, store)
    } catch (error) {
      if (!(error instanceof AclError) || error.code !== 'caller_unknown') throw error
      return { ...(await this.callers.resolve(undefined, store)), unknown: true }
    }
  }

  /** Rights that take turns to find are those of the directory that they were begun with, however often it changes. */
  private admitToken(presented: Presented, asked: ParsedRequest, seen: Seen): MaybePromise<AnyCall> {
    const rights = this.callers.rightsOf(presented.token, seen.directory)
    return andThen(rights, (known) => this.callBy({ ...presented, ...known }, asked, seen))
  }

  private callBy(
    caller: Caller,
    asked: ParsedRequest,
    { service, mode, directory, tableIndex }: Seen,
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
    const { callers, texts, openapi, turns, lane, writeLane } = this.services
    return {
      service,
      callers,
      texts,
      openapi,
      turns,
      lane,
      writeLane,
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

/** The table whose highest index the answers of a route carry. Reference 4.2. */
export function tableOf({ blocking = 'tokens' }: AnyRoute): TableName {
  return blocking
}

/** Whether it does not matter who asks: what a process holds is shown to anybody, and short bodies are taken of anybody. */
function isAnyones({ route, request }: ParsedRequest): boolean {
  if (route.local === undefined || route.body === undefined) return route.local === true
  // Without an announced length the body may be long.
  return Number(request.header('content-length') ?? Number.NaN) <= limits.ANONYMOUS_BODY_BYTES_MAX
}
