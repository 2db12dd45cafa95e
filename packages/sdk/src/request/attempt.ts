/** One request and its answer, bounded by a timeout and the caller's signal. Failures become SDK errors. */

import { startTimer } from '../contract.ts'
import { LatchkeyError, Timeout, Unavailable } from '../errors.ts'
import type { WithMeta } from '../meta.ts'
import { type AttemptFacts, checkToken, type Settings } from '../options.ts'
import { until } from '../time.ts'
import { buildRequest, type Call, factsOf, type QueryValue, type WireRequest } from './call.ts'
import { readAnswer } from './read-answer.ts'
import { networkCode, redact, safeCause } from './secrets.ts'

/** Node's codes for network failures that happen before a request is sent. Such a request had no effect. */
const NOTHING_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Deno's message for a failed connection; its errors have no code. */
const NOT_CONNECTED = 'client error (Connect)'

/**
 * Sends the call once.
 *
 * @param limitMs time limit for the whole answer.
 * @throws LatchkeyError, or the reason of the caller's signal, or what the token source threw.
 */
export async function attempt(
  settings: Settings,
  call: Call,
  limitMs: number,
  waiting: Readonly<Record<string, QueryValue>>,
): Promise<WithMeta<unknown>> {
  const { signal } = call.options
  signal?.throwIfAborted()
  const deadline = new AbortController()
  const onAbort = (): void => deadline.abort(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  const timer = startTimer(limitMs, () => deadline.abort())
  let isSent = false
  let isStreaming = false
  const startedAt = performance.now()
  const log = (facts: Pick<AttemptFacts, 'status' | 'requestId'>): void => {
    const ms = Math.round(performance.now() - startedAt)
    const outcome = facts.status ?? 'no answer'
    settings.logger?.debug(`${call.endpoint}: ${outcome} in ${ms} ms`, {
      endpoint: call.endpoint,
      ...facts,
      ms,
    })
  }
  try {
    const token = checkToken(await until(deadline.signal, Promise.resolve(settings.token())))
    const request = buildRequest(settings, call, token, waiting)
    isSent = true
    const secrets = [token, ...(call.secrets ?? [])].filter((secret) => secret !== undefined)
    const answer = await exchange(settings, call, request, deadline.signal, secrets)
    log({ status: 200, requestId: answer.requestId })
    isStreaming = call.form === 'stream'
    return answer
  } catch (error) {
    if (error instanceof LatchkeyError) log(error)
    else log({})
    if (signal?.aborted) throw signal.reason
    if (deadline.signal.aborted) throw timeoutOf(call, limitMs, isSent)
    throw error
  } finally {
    clearTimeout(timer)
    // The signal also aborts a body that is still being read.
    if (!isStreaming) signal?.removeEventListener('abort', onAbort)
  }
}

async function exchange(
  settings: Settings,
  call: Call,
  request: WireRequest,
  signal: AbortSignal,
  secrets: readonly string[],
): Promise<WithMeta<unknown>> {
  let response: Response | undefined
  try {
    const sent = settings.fetch(request.url, { ...request.init, signal })
    // If `fetch` ignores the signal, close its late answer, or its socket would leak.
    sent.then((late) => signal.aborted && release(late), ignore)
    response = await until(signal, sent)
    return await until(
      signal,
      readAnswer(response, {
        call,
        headerPrefix: settings.headerPrefix,
        clean: (text) => redact(text, secrets),
      }),
    )
  } catch (error) {
    if (response) release(response)
    if (error instanceof LatchkeyError || isSignal(error)) throw error
    throw unreachable(call, error, secrets)
  }
}

/** Next.js rejects a `fetch` with an error of its own, which has a digest, to make a page dynamic; it must reach Next.js. */
function isSignal(error: unknown): boolean {
  return error instanceof Error && 'digest' in error && typeof error.digest === 'string'
}

/** @param isSent false: the token source took all the time, so the request had no effect. */
function timeoutOf(call: Call, limitMs: number, isSent: boolean): Timeout {
  const missing = isSent ? 'full answer' : 'token to present'
  return new Timeout({
    ...factsOf(call, isSent),
    message: `${call.endpoint}: no ${missing} within ${Math.round(limitMs)} ms`,
  })
}

function unreachable(call: Call, error: unknown, secrets: readonly string[]): Unavailable {
  const code = networkCode(error)
  const cause = safeCause(error, secrets)
  const isUnsent = code === undefined ? cause.message.includes(NOT_CONNECTED) : NOTHING_SENT.has(code)
  return new Unavailable({
    ...factsOf(call, !isUnsent),
    message: `${call.endpoint}: the service cannot be reached (${code ?? cause.message})`,
    cause,
  })
}

function release(response: Response): void {
  // A locked or consumed body has nothing left to close.
  if (response.body && !response.bodyUsed) response.body.cancel().catch(ignore)
}

function ignore(): void {}
