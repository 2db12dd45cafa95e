/**
 * The service as a function: a wire request in, a wire reply out. A request's way (design 2): route and method, query
 * options, namespace, legacy mode, caller, right, then the body, then the handler.
 */
import { AclError, limits, type Right, type RouteMatch } from '@latchkey/contract'
import type { Directory } from '../store/directory.ts'
import { DEFAULT_NAMESPACE } from '../store/records.ts'
import type { ConsistencyMode, Freshness, Store } from '../store/store.ts'
import { legacyModeError } from '../upgrade/mode.ts'
import { aclModeOf } from './acl-mode.ts'
import { answerRead } from './blocking.ts'
import type { Call } from './call.ts'
import { type Caller, Callers, callerUnknown, requireRight } from './caller.ts'
import { HANDLERS } from './handlers.ts'
import { credentialOf, familyOf, type HeaderFamily, headerFamilies, namespaceHeaderOf } from './headers.ts'
import { ListCache } from './list-cache.ts'
import { requestedNamespace, resolveNamespace } from './namespace.ts'
import type { ApiOptions } from './options.ts'
import { PLAIN_READ, parseReadOptions, Query, type ReadOptions } from './query.ts'
import { renderAnswer, renderError } from './render.ts'
import { RequestState } from './request-state.ts'
import { route } from './routing.ts'
import { TokenTexts } from './token-json.ts'
import type { WireReply, WireRequest } from './wire.ts'

const NO_BODY = new Uint8Array(0)

/** A request whose endpoint is known. */
interface Asked {
  readonly request: WireRequest
  readonly match: RouteMatch
  readonly query: Query
  readonly options: ReadOptions
  /** By header or `ns`; `*` for all. */
  readonly requestedNamespace: string | undefined
  readonly secretId: string | undefined
  readonly state: RequestState
}

export class Api {
  private readonly options: ApiOptions
  /** As the options, over the store's view for stale reads. */
  private readonly staleOptions: ApiOptions
  private readonly families: readonly HeaderFamily[]
  private readonly callers: Callers
  private readonly texts: TokenTexts
  private readonly lists: ListCache

  constructor(options: ApiOptions) {
    this.options = options
    this.staleOptions = { ...options, store: options.store.stale ?? options.store }
    this.families = headerFamilies(options.headerPrefixes)
    this.callers = new Callers(options)
    this.texts = new TokenTexts(options.edition)
    this.lists = new ListCache(options.listCacheBytes)
  }

  /** Answers a request. Never rejects: whatever goes wrong is a reply. */
  async handle(request: WireRequest): Promise<WireReply> {
    const state = new RequestState(request, familyOf(request, this.families))
    const { translateAddresses, profile } = this.options
    if (translateAddresses && profile.has('http.translateAddressesHeader'))
      state.headers[state.family.translateAddresses] = 'true'
    try {
      const routing = route(request.method, request.url, this.options)
      if (routing.kind === 'options') return state.empty(200, { Allow: routing.allow })
      if (routing.kind === 'moved') return state.empty(301, { Location: routing.location })
      state.endpoint = routing.match.name
      return await this.answer(request, routing.match, state)
    } catch (error) {
      if (!(error instanceof AclError)) this.options.onInternalError(error, request.requestId)
      return renderError(error, state.context())
    }
  }

  private async answer(request: WireRequest, match: RouteMatch, state: RequestState): Promise<WireReply> {
    const { endpoint, name } = match
    if (isAclEndpoint(endpoint.path) && !this.options.aclEnabled) {
      throw new AclError('acl_disabled', 'ACL support disabled')
    }
    const asked = this.ask(request, match, state)
    const admit = () => this.admit(asked)
    const evaluate = HANDLERS[name]
    if (endpoint.blocking) {
      const { options } = asked
      return answerRead({ name, options, state, admit, evaluate, signal: request.signal }, this.options)
    }
    const call = await admit()
    const body = endpoint.body === undefined ? NO_BODY : await request.readBody(bodyBytesMax(name))
    return renderAnswer(await evaluate({ ...call, body }), state.context())
  }

  /** What the request line and headers say, in the reference's order of checks. */
  private ask(request: WireRequest, match: RouteMatch, state: RequestState): Asked {
    const { endpoint } = match
    const queryAt = request.url.indexOf('?')
    const query = new Query(queryAt < 0 ? '' : request.url.slice(queryAt + 1))
    state.pretty = query.has('pretty')
    state.headers[state.family.defaultPolicy] = this.options.defaultPolicy
    const options = endpoint.blocking ? parseReadOptions(query, request.header('cache-control')) : PLAIN_READ
    const header = namespaceHeaderOf(request, this.families)
    const namespace = requestedNamespace({ header, query, endpoint }, this.options.edition)
    const credential = credentialOf(request, query, this.families)
    if (credential.inQuery) {
      state.headers.Warning = '299 - "The token query parameter is deprecated: send the token header"'
    }
    return {
      request,
      match,
      query,
      options,
      requestedNamespace: namespace,
      secretId: credential.secretId,
      state,
    }
  }

  /** Freshness, legacy mode, caller and right: what is checked again when a wait ends. */
  private async admit(asked: Asked): Promise<Call> {
    const { match, query, options, secretId, state } = asked
    const { name, endpoint, params } = match
    const { mode, freshness } = await this.refresh(options)
    const api = mode === 'stale' ? this.staleOptions : this.options
    const { store, clock, cluster, aclEnabled } = api
    if (endpoint.blocking) state.setFreshness(freshness)
    const directory = await store.directory()
    if (endpoint.refusedInLegacyMode && aclModeOf(directory) === 'legacy') {
      throw legacyModeError(cluster.legacyModeWaitsFor())
    }
    const caller = await this.callerOf(aclEnabled ? secretId : undefined, endpoint.right, directory, store)
    if (caller.presented) state.accessorId = caller.token.AccessorID
    const requested = asked.requestedNamespace
    const namespace = resolveNamespace(requested === '*' ? undefined : requested, caller)
    // What is in no namespace is the cluster's, and its rights are those of `default`. Spec 4.9.5.
    const home = endpoint.namespaced ? namespace : DEFAULT_NAMESPACE
    if (aclEnabled) this.requireEndpointRight(endpoint.right, caller, home)
    return {
      api,
      callers: this.callers,
      texts: this.texts,
      lists: this.lists,
      name,
      endpoint,
      params,
      query,
      mode,
      caller,
      directory,
      namespace,
      allNamespaces: requested === '*',
      body: NO_BODY,
      now: clock.now(),
      family: state.family,
    }
  }

  /** `max_stale` bounds what `stale` may show: an older state is refreshed first. */
  private async refresh({
    mode,
    maxStaleMs,
  }: ReadOptions): Promise<{ mode: ConsistencyMode; freshness: Freshness }> {
    const freshness = await this.options.store.refresh(mode)
    if (maxStaleMs === undefined || freshness.lastContactMs <= maxStaleMs) return { mode, freshness }
    return { mode: 'default', freshness: await this.options.store.refresh('default') }
  }

  /** An endpoint that needs no right takes no notice of an unknown secret. Reference 3. */
  private async callerOf(
    secretId: string | undefined,
    right: Right,
    directory: Directory,
    store: Store,
  ): Promise<Caller> {
    try {
      return await this.callers.resolve(secretId, directory, store)
    } catch (error) {
      const isIgnored = right === 'none' && error instanceof AclError && error.code === 'caller_unknown'
      if (!isIgnored) throw error
      return { ...(await this.callers.resolve(undefined, directory, store)), unknown: true }
    }
  }

  /** Spec 4.1. Rights on single keys are the handlers' to ask for. */
  private requireEndpointRight(right: Right, caller: Caller, namespace: string): void {
    switch (right) {
      case 'none':
      case 'key':
        return
      case 'self':
        // No token is not the anonymous token here. Decisions: status codes.
        if (!caller.presented) throw callerUnknown()
        return
      case 'acl:read':
        if (!caller.authorizer.aclRead || !isAtHome(caller, namespace)) {
          requireRight(caller, namespace, { resource: 'acl', access: 'read' })
        }
        return
      case 'acl:write':
        requireRight(caller, namespace, { resource: 'acl', access: 'write' })
        return
      case 'operator:read':
        requireRight(caller, namespace, { resource: 'operator', access: 'read' })
        return
      case 'operator:write':
        requireRight(caller, namespace, { resource: 'operator', access: 'write' })
        return
      case 'agent:read':
        requireRight(caller, namespace, { resource: 'agent', segment: this.options.nodeName, access: 'read' })
    }
  }
}

function isAtHome(caller: Caller, namespace: string): boolean {
  return caller.isGlobal || caller.token.Namespace === namespace
}

function isAclEndpoint(path: string): boolean {
  return path.startsWith('/acl/') || path.startsWith('/internal/acl/')
}

/** Bounds of bodies. Decisions: status codes. */
function bodyBytesMax(name: RouteMatch['name']): number {
  if (name === 'kv.write') return limits.KV_VALUE_BYTES_MAX
  return name === 'legacy.import' ? limits.LEGACY_IMPORT_BYTES_MAX : limits.BODY_BYTES_MAX
}
