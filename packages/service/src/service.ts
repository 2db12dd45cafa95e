/** The service as a function: a wire request in, a wire reply out. */

import { Lane, TurnQueue } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { Callers } from './caller/caller.ts'
import type { ServiceOptions } from './options.ts'
import { Pipeline } from './pipeline.ts'
import { JsonDocument } from './reply/json-text.ts'
import { renderError } from './reply/render.ts'
import { familiesOf, type HeaderFamily, headerFamilies } from './request/headers.ts'
import { RequestState } from './request/request-state.ts'
import type { WireReply, WireRequest } from './request/wire.ts'
import { TokenTexts } from './tokens/token-json.ts'

/** Long rule texts parsed at a time: each may take half a megabyte, and its tree more. */
const LANE_WIDTH = 1
/** Scans over tokens at a time: each holds pages of a thousand tokens, and asks the database for more. */
const WALKS_AT_ONCE_MAX = 2
/** Each is up to a megabyte, with what it is made from. */
const TEXTS_AT_ONCE_MAX = 2

export class Service {
  private readonly options: ServiceOptions
  private readonly families: readonly HeaderFamily[]
  private readonly pipeline: Pipeline

  constructor(options: ServiceOptions) {
    this.options = options
    this.families = headerFamilies(options.headerPrefixes)
    const turns = options.turns ?? new TurnQueue()
    this.pipeline = new Pipeline(options, this.families, {
      callers: new Callers(options, turns),
      texts: new TokenTexts(options),
      openapi: new JsonDocument(() => ({ ...options.openapi() })),
      turns,
      lane: new Lane(LANE_WIDTH),
      writeLane: new Lane(LANE_WIDTH),
      walkLane: new Lane(WALKS_AT_ONCE_MAX),
      textLane: new Lane(TEXTS_AT_ONCE_MAX, Number.POSITIVE_INFINITY),
    })
  }

  /** Answers a request. Never rejects: a failure is a reply, too. */
  async handle(request: WireRequest): Promise<WireReply> {
    const state = new RequestState(request, familiesOf(request, this.families))
    const { translateAddresses, profile } = this.options
    if (translateAddresses && profile.has('http.translateAddressesHeader'))
      state.setHeader('translateAddresses', 'true')
    try {
      return await this.pipeline.answer(request, state)
    } catch (error) {
      if (!(error instanceof AclError)) this.options.onInternalError(error, request.requestId)
      return renderError(error, state)
    }
  }
}
