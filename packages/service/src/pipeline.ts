/**
 * From a wire request to its reply: route, parse, authorize, decode, handle, render. A blocking read that waits repeats
 * authorize and handle, because its caller's rights may have changed.
 */

import { checkWanted } from '@latchkey/acl'
import { AclError, limits } from '@latchkey/contract'
import { indexOf, isCurrent, type Seen, Wait } from './blocking/blocking.ts'
import { Admission, type CallServices } from './caller/admission.ts'
import type { AnyAnswer, AnyCall } from './handler.ts'
import { HANDLERS } from './handlers.ts'
import type { ServiceOptions } from './options.ts'
import { renderAnswer } from './reply/render.ts'
import { decodeRequestBody, readBody } from './request/body.ts'
import type { HeaderFamily } from './request/headers.ts'
import { type ParsedRequest, parse } from './request/parse.ts'
import { checkPathIds } from './request/path-ids.ts'
import type { RequestState } from './request/request-state.ts'
import { requireParams, route } from './request/routing.ts'
import type { WireReply, WireRequest } from './request/wire.ts'

export class Pipeline {
  private readonly options: ServiceOptions
  private readonly families: readonly HeaderFamily[]
  private readonly admission: Admission

  constructor(options: ServiceOptions, families: readonly HeaderFamily[], services: CallServices) {
    this.options = options
    this.families = families
    this.admission = new Admission(options, services)
  }

  /** @throws AclError for every refusal. */
  async answer(request: WireRequest, state: RequestState): Promise<WireReply> {
    const routing = route(request.method, request.url, this.options)
    if (routing.kind === 'options') return state.empty(200, { Allow: routing.allow })
    if (routing.kind === 'moved') return state.empty(301, { Location: routing.location })
    const { match } = routing
    state.endpoint = match.name
    if (match.endpoint.acl && !this.options.aclEnabled) {
      throw new AclError('acl_disabled', 'ACL support disabled')
    }
    requireParams(match)
    const { datacenter, defaultPolicy, edition } = this.options
    const families = this.families
    const asked = parse(request, match, state, { datacenter, defaultPolicy, edition, families })
    const received = asked.route.body === undefined ? undefined : await this.receive(asked)
    const wait = asked.options.index > 0 ? new Wait(asked, this.options) : undefined
    for (;;) {
      const seen = await this.look(asked, received)
      if (asked.route.blocking) state.setIndex(indexOf(seen, asked.options.index))
      if (wait && !(await wait.endsWith(seen))) continue
      if (seen.answer.nextCursor !== undefined) state.setHeader('nextCursor', seen.answer.nextCursor)
      return renderAnswer(seen.answer, state)
    }
  }

  /**
   * Reads the body of a caller that may send one. {@link look} admits the caller again, because rights may change while
   * a slow body arrives.
   */
  private async receive(asked: ParsedRequest): Promise<Uint8Array> {
    const { caller, turns, signal } = await this.admission.admitBody(asked)
    const body = await readBody(asked.request, asked.route, caller)
    if (body.length > limits.ANONYMOUS_BODY_BYTES_MAX) {
      // Decoding a long one takes all of a turn.
      await turns.next()
      checkWanted(signal)
    }
    return body
  }

  /**
   * Authorizes, decodes and handles.
   *
   * The synchronous shortcut is here: a read whose caller, rights and record are all in memory is admitted by `peek` and
   * answered by its handler without an `await` in between, so nothing can change between the two and no time is lost.
   * Everything else waits, and a blocking read that waited is admitted again, because rights may have changed (COH-10).
   */
  private async look(asked: ParsedRequest, received: Uint8Array | undefined): Promise<Seen> {
    let call = this.admission.peek(asked) ?? (await this.admission.admit(asked))
    checkPathIds(asked.route, asked.params)
    if (received) {
      call = { ...call, body: decodeRequestBody(asked.route, received, this.options.profile) }
    }
    for (let attempt = 1; ; attempt += 1) {
      const answering = handle(call)
      if (!(answering instanceof Promise)) return { call, answer: answering }
      const answer = await answering
      if (!asked.route.blocking) return { call, answer }
      const now = await this.admission.readmit(asked, call)
      if (isCurrent(call, now, attempt)) return { call, answer }
      call = now
    }
  }
}

function handle(call: AnyCall): AnyAnswer | Promise<AnyAnswer> {
  // Route and handler have the same name, which the compiler cannot follow through a variable.
  const handler = HANDLERS[call.route.name] as unknown as (call: AnyCall) => AnyAnswer | Promise<AnyAnswer>
  return handler(call)
}
