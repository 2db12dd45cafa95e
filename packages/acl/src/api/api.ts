/**
 * The service as a function: a wire request in, a wire reply out. A request's way (design 2): route and method, query
 * options, namespace, legacy mode, caller, right, then the body, then the handler.
 */
import { AclError, limits, type Right, type RouteMatch } from '@latchkey/contract'
import { andThen, isPromise, type MaybePromise } from '../maybe-promise.ts'
import type { Directory } from '../store/directory.ts'
import { DEFAULT_NAMESPACE } from '../store/records.ts'
import type { ConsistencyMode, Freshness, Store } from '../store/store.ts'
import { legacyModeError } from '../upgrade/mode.ts'
import { aclModeOf } from './acl-mode.ts'
import { answerRead } from './blocking.ts'
import type { Call, Handler } from './call.ts'
import { type Caller, Callers } from './caller.ts'
import { requireEndpointRight } from './endpoint-right.ts'
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
import type { TokenList } from './token-list-parts.ts'
import type { WireReply, WireRequest } from './wire.ts'

const NO_BODY = new Uint8Array(0)
/** Without a question to the database. */
const KNOWN_HERE: ReadOptions = { ...PLAIN_READ, mode: 'stale' }

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

/** As fresh as it was asked for, or fresher. */
interface Fresh {
  readonly mode: ConsistencyMode
  readonly freshness: Freshness
}

/** What a request is judged by. */
interface Seen {
  readonly mode: ConsistencyMode
  readonly api: ApiOptions
  readonly directory: Directory
}

export class Api {
  private readonly options: ApiOptions
  /** As the options, over the store's view for stale reads. */
  private readonly staleOptions: ApiOptions
  private readonly families: readonly HeaderFamily[]
  private readonly callers: Callers
  private readonly texts: TokenTexts
  private readonly lists: ListCache<TokenList>

  constructor(options: ApiOptions) {
    this.options = options
    this.staleOptions = { ...options, store: options.store.stale ?? options.store }
    this.families = headerFamilies(options.headerPrefixes)
    this.callers = new Callers(options)
    this.texts = new TokenTexts(options.edition)
    this.lists = new ListCache(options.listCacheBytes)
  }

  /** Answers a request. Never throws or rejects: whatever goes wrong is a reply. At once where nothing is waited for. */
  handle(request: WireRequest): MaybePromise<WireReply> {
    const state = new RequestState(request, familyOf(request, this.families))
    const { translateAddresses, profile } = this.options
    if (translateAddresses && profile.has('http.translateAddressesHeader'))
      state.headers[state.family.translateAddresses] = 'true'
    try {
      const reply = this.dispatch(request, state)
      return isPromise(reply) ? reply.catch((error: unknown) => this.refuse(error, state)) : reply
    } catch (error) {
      return this.refuse(error, state)
    }
  }

  private dispatch(request: WireRequest, state: RequestState): MaybePromise<WireReply> {
    const routing = route(request.method, request.url, this.options)
    if (routing.kind === 'options') return state.empty(200, { Allow: routing.allow })
    if (routing.kind === 'moved') return state.empty(301, { Location: routing.location })
    state.endpoint = routing.match.name
    return this.answer(request, routing.match, state)
  }

  private refuse(error: unknown, state: RequestState): WireReply {
    if (!(error instanceof AclError)) this.options.onInternalError(error, state.request.requestId)
    return renderError(error, state)
  }

  private answer(request: WireRequest, match: RouteMatch, state: RequestState): MaybePromise<WireReply> {
    const { endpoint, name } = match
    if (isAclEndpoint(endpoint.path) && !this.options.aclEnabled) {
      throw new AclError('acl_disabled', 'ACL support disabled')
    }
    const asked = this.ask(request, match, state)
    const evaluate = HANDLERS[name]
    if (endpoint.blocking) {
      const { options } = asked
      const admit = () => this.admit(asked)
      const readmit = (call: Call) => this.readmit(asked, call)
      return answerRead(
        { name, options, state, admit, readmit, evaluate, signal: request.signal },
        this.options,
      )
    }
    if (endpoint.body !== undefined) return this.answerBody(asked, evaluate)
    return andThen(this.admit(asked), (call) => answerOnce(call, evaluate, state))
  }

  /**
   * A body is taken only of a caller who may send it, for all that is known here. What counts are the rights when it has
   * arrived: it may take its time, and they may be taken away meanwhile.
   */
  private async answerBody(asked: Asked, evaluate: Handler): Promise<WireReply> {
    const { request, match, state } = asked
    try {
      await this.admit({ ...asked, options: KNOWN_HERE })
    } catch {
      // What is known here may be out of date.
      await this.admit(asked)
    }
    const body = await request.readBody(bodyBytesMax(match.name))
    return answerOnce({ ...(await this.admit(asked)), body }, evaluate, state)
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
  private admit(asked: Asked): MaybePromise<Call> {
    return andThen(this.refresh(asked.options), ({ mode, freshness }) => {
      const api = mode === 'stale' ? this.staleOptions : this.options
      if (asked.match.endpoint.blocking) asked.state.setFreshness(freshness)
      return this.admitTo(asked, { mode, api })
    })
  }

  /** The call as it is admitted now, after what it reads has come. A stale one is what it is. */
  private readmit(asked: Asked, call: Call): MaybePromise<Call> {
    return call.mode === 'stale' ? call : this.admitTo(asked, call)
  }

  private admitTo(asked: Asked, { mode, api }: Pick<Seen, 'mode' | 'api'>): MaybePromise<Call> {
    return andThen(api.store.directory(), (directory) => this.admitBy(asked, { mode, api, directory }))
  }

  private admitBy(asked: Asked, seen: Seen): MaybePromise<Call> {
    const { endpoint } = asked.match
    const { api, directory } = seen
    if (endpoint.refusedInLegacyMode && aclModeOf(directory) === 'legacy') {
      throw legacyModeError(api.cluster.legacyModeWaitsFor())
    }
    const secretId = api.aclEnabled ? asked.secretId : undefined
    const caller = this.callerOf(secretId, endpoint.right, directory, api.store)
    if (!isPromise(caller)) return this.callBy(caller, asked, seen)
    return caller.then(async (known) => {
      const isSame = (await api.store.directory()).version === directory.version
      // The token that was read may be newer than the directory that its links point into.
      return isSame ? this.callBy(known, asked, seen) : this.admitTo(asked, seen)
    })
  }

  private callBy(caller: Caller, asked: Asked, { api, mode, directory }: Seen): Call {
    const { match, query, state } = asked
    const { name, endpoint, params } = match
    if (caller.presented) state.accessorId = caller.token.AccessorID
    const requested = asked.requestedNamespace
    const namespace = resolveNamespace(requested === '*' ? undefined : requested, caller)
    // What is in no namespace is the cluster's, and its rights are those of `default`. Spec 4.9.5.
    const home = endpoint.namespaced ? namespace : DEFAULT_NAMESPACE
    if (api.aclEnabled)
      requireEndpointRight(caller, endpoint.right, { namespace: home, nodeName: api.nodeName })
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
      now: api.clock.now(),
      family: state.family,
    }
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

  /** An endpoint that needs no right takes no notice of an unknown secret. Reference 3. */
  private callerOf(
    secretId: string | undefined,
    right: Right,
    directory: Directory,
    store: Store,
  ): MaybePromise<Caller> {
    if (right !== 'none') return this.callers.resolve(secretId, directory, store)
    return this.callerOrNobody(secretId, directory, store)
  }

  private async callerOrNobody(
    secretId: string | undefined,
    directory: Directory,
    store: Store,
  ): Promise<Caller> {
    try {
      return await this.callers.resolve(secretId, directory, store)
    } catch (error) {
      if (!(error instanceof AclError) || error.code !== 'caller_unknown') throw error
      return { ...(await this.callers.resolve(undefined, directory, store)), unknown: true }
    }
  }
}

function answerOnce(call: Call, evaluate: Handler, state: RequestState): MaybePromise<WireReply> {
  return andThen(evaluate(call), (answer) => renderAnswer(answer, state))
}

function isAclEndpoint(path: string): boolean {
  return path.startsWith('/acl/') || path.startsWith('/internal/acl/')
}

/** Bounds of bodies. Decisions: status codes. */
function bodyBytesMax(name: RouteMatch['name']): number {
  if (name === 'kv.write') return limits.KV_VALUE_BYTES_MAX
  return name === 'legacy.import' ? limits.LEGACY_IMPORT_BYTES_MAX : limits.BODY_BYTES_MAX
}
