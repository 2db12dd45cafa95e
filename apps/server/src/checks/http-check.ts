/** One run of an HTTP check. Decisions: agent. */
import { STATUS_CODES } from 'node:http'
import { type AgentCheck, type CheckRun, statusOfHttp } from '@latchkey/catalog'
import { type Outgoing, type OutgoingAnswer, OutgoingError } from '../outgoing/outgoing.ts'

export interface CheckResult {
  readonly status: 'passing' | 'warning' | 'critical'
  readonly output: string
}

type HttpRun = Extract<CheckRun, { readonly type: 'http' }>

const REDIRECTS_MAX = 5
/** Maximum length of an answer that is read; only its end is kept. */
const ANSWER_BYTES_MAX = 1_048_576

const AGENT_HEADERS = { 'User-Agent': 'Latchkey Health Check', Accept: 'text/plain, text/*, */*' }

/** A failure is a critical result. @param signal ends the run. */
export async function runHttpCheck(
  run: HttpRun,
  { outputBytesMax }: Pick<AgentCheck, 'outputBytesMax'>,
  outgoing: Outgoing,
  signal?: AbortSignal,
): Promise<CheckResult> {
  const endsAt = performance.now() + run.timeoutMs
  let url = run.url
  let addressClass: OutgoingAnswer['addressClass']
  try {
    for (let redirects = 0; ; redirects += 1) {
      const isFirst = redirects === 0
      const answer = await outgoing.send({
        url,
        method: isFirst ? run.method : 'GET',
        headers: { ...AGENT_HEADERS, ...(isSameOrigin(url, run.url) ? headersOf(run) : {}) },
        ...(isFirst && run.body !== '' ? { body: run.body } : {}),
        skipsVerify: run.skipsVerify,
        bytesMax: ANSWER_BYTES_MAX,
        bytesKept: outputBytesMax,
        msMax: Math.max(1, Math.round(endsAt - performance.now())),
        ...(addressClass ? { addressClass } : {}),
        ...(signal ? { signal } : {}),
      })
      const next = redirectOf(answer, url)
      if (next === undefined) return resultOf(run, answer)
      if (redirects === REDIRECTS_MAX) return failed(run, `stopped after ${REDIRECTS_MAX} redirects`)
      // Whoever answers chooses where a redirect leads: not from outside to what only this machine or network may reach.
      addressClass ??= answer.addressClass
      if (addressClass === undefined) return failed(run, 'address not allowed')
      url = next
    }
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    return failed(run, reasonOf(error))
  }
}

/** Where a redirect leads. The rules for outgoing requests apply to it, too. */
function redirectOf({ status, headers }: OutgoingAnswer, from: string): string | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(status)
  return isRedirect && headers.location !== undefined ? URL.parse(headers.location, from)?.href : undefined
}

/** A header may contain a credential, which only the host of the check may receive. */
function isSameOrigin(url: string, first: string): boolean {
  return URL.parse(url)?.origin === URL.parse(first)?.origin
}

/** Headers in the form that Node accepts: Host is one string, not a list. */
function headersOf({ header }: HttpRun): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = {}
  for (const [name, values] of Object.entries(header)) {
    const value = name.toLowerCase() === 'host' ? values[0] : values
    if (value) headers[name] = value
  }
  return headers
}

function resultOf(run: HttpRun, { status, body }: OutgoingAnswer): CheckResult {
  const text = new TextDecoder().decode(body)
  const words = `${status} ${STATUS_CODES[status] ?? ''}`.trimEnd()
  return { status: statusOfHttp(status), output: `HTTP ${run.method} ${run.url}: ${words} Output: ${text}` }
}

function failed({ method, url }: HttpRun, reason: string): CheckResult {
  const verb = `${method.charAt(0).toUpperCase()}${method.slice(1).toLowerCase()}`
  return { status: 'critical', output: `${verb} "${url}": ${reason}` }
}

/** The error of the connection if there is one, otherwise the rule that was broken. */
function reasonOf(error: OutgoingError): string {
  const { failure, cause } = error
  if (failure === 'URL not allowed' || failure === 'address not allowed' || !(cause instanceof Error)) {
    return failure
  }
  return ['TimeoutError', 'AbortError'].includes(cause.name) ? 'timeout' : cause.message || failure
}
