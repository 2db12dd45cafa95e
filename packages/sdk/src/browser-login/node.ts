/** Logins through an OpenID provider from a terminal, in the extended edition. Decisions: login. */

import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Client, Session } from '../client.ts'
import { LoginFailed } from '../errors.ts'
import { type NamesOf, positive } from '../options.ts'
import {
  type AuthorizationResponse,
  type BrowserLoginOptions,
  checkLoginOptions,
  exchangeCode,
  readResponse,
  requestAuthorization,
} from './code-flow.ts'

export interface TerminalLoginOptions extends BrowserLoginOptions {
  /**
   * Redirect URIs on `127.0.0.1`, `localhost` or `[::1]` that both the method and the provider allow, such as
   * `http://127.0.0.1:8550/oidc/callback`. The first one whose port is free is used. Port 0 picks any free port, for
   * providers that do not compare the port of a loopback address.
   */
  readonly redirectUris: readonly string[]
  /** Shows the user the provider's page: opens a browser or prints the URL. If it fails, the login fails. */
  readonly open: (url: string) => unknown
  /** Time limit for the user, in milliseconds. Default 300,000; the service allows at most 600,000. */
  readonly wait?: number | undefined
}

const TERMINAL_NAMES: NamesOf<TerminalLoginOptions, keyof BrowserLoginOptions> = {
  redirectUris: true,
  open: true,
  wait: true,
}

const WAIT_DEFAULT = 300_000
const WAIT_MAX = 600_000

/**
 * Logs a user in through a browser on the same machine. This process listens on the port of the redirect URI until the
 * login ends.
 *
 * @throws LoginFailed `provider_refused`, `timed_out`, `port_in_use`; TypeError for a redirect URI that is not on a
 * loopback host; the reason of the signal; the LatchkeyError of a call.
 * @example
 * const redirectUris = ['http://127.0.0.1:8550/oidc/callback']
 * await using session = await loginThroughBrowser(client, { method: 'people', redirectUris, open: console.log })
 */
export async function loginThroughBrowser(client: Client, options: TerminalLoginOptions): Promise<Session> {
  checkLoginOptions(options, TERMINAL_NAMES)
  const { method, meta, redirectUris, open, wait = WAIT_DEFAULT, ...call } = options
  const waitMs = Math.min(positive('wait', wait), WAIT_MAX)
  const listener = await LoopbackListener.open(redirectUris)
  try {
    const { redirectUri } = listener
    const { url, state, pending } = await requestAuthorization(client, { ...call, method, meta, redirectUri })
    const { signal } = call
    const back = await listener.untilResponse(state, { open: () => open(url), waitMs, signal })
    const session = await exchangeCode(client, back, pending, call)
    await listener.reply(200, 'You are logged in. You can close this page.')
    return session
  } catch (error) {
    await listener.reply(400, 'The login failed. The program that began it says why.')
    throw error
  } finally {
    await listener.close()
  }
}

/** Listens on a redirect URI for one login. */
class LoopbackListener {
  readonly redirectUri: string
  readonly #server: Server
  #response: ServerResponse | undefined
  #expected:
    | { readonly state: string; readonly onResponse: (back: AuthorizationResponse) => void }
    | undefined

  private constructor(server: Server, redirectUri: string) {
    this.#server = server
    this.redirectUri = redirectUri
    server.on('request', this.#answer)
  }

  static async open(redirectUris: readonly string[]): Promise<LoopbackListener> {
    const places = redirectUris.map(placeOf)
    if (places.length === 0) throw new TypeError('redirectUris must hold at least one')
    for (const { host, port, uriAt } of places) {
      const server = createServer().listen(port, host)
      try {
        await once(server, 'listening')
        return new LoopbackListener(server, uriAt((server.address() as AddressInfo).port))
      } catch (error) {
        if (!isPortTaken(error)) throw error
      }
    }
    const ports = places.map(({ port }) => port).join(', ')
    throw new LoginFailed('port_in_use', `No redirect URI has a free port: ${ports}`)
  }

  /** Waits for a browser to return with this state. Other requests are refused and do not end the wait. */
  async untilResponse(
    state: string,
    { open, waitMs, signal }: { open: () => unknown; waitMs: number; signal: AbortSignal | undefined },
  ): Promise<AuthorizationResponse> {
    signal?.throwIfAborted()
    const over = new AbortController()
    try {
      return await new Promise<AuthorizationResponse>((resolve, reject) => {
        this.#expected = { state, onResponse: resolve }
        const late = new LoginFailed('timed_out', `The browser did not return within ${waitMs} ms`)
        const timer = setTimeout(() => reject(late), waitMs)
        over.signal.addEventListener('abort', () => clearTimeout(timer))
        signal?.addEventListener('abort', () => reject(signal.reason), { signal: over.signal })
        // `open` may not resolve before the browser is closed.
        Promise.resolve().then(open).catch(reject)
      })
    } finally {
      over.abort()
    }
  }

  /** Answers the browser, if one has returned and is waiting. */
  async reply(status: number, text: string): Promise<void> {
    const response = this.#response
    this.#response = undefined
    if (response) await show(response, status, text)
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  readonly #answer: RequestListener = ({ method, url = '' }, response) => {
    const { pathname } = new URL(this.redirectUri)
    const asked = URL.canParse(url, this.redirectUri) ? new URL(url, this.redirectUri) : undefined
    if (method !== 'GET' || asked?.pathname !== pathname) return void show(response, 404, 'Not found.')
    const back = readResponse(asked.searchParams)
    const expected = this.#expected
    if (back === undefined || back.state !== expected?.state) {
      return void show(response, 400, 'No login waits for this page. Begin again in the program.')
    }
    this.#expected = undefined
    this.#response = response
    expected.onResponse(back)
  }
}

const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(?::(\d{1,5}))?(?=[/?]|$)/

/** `uriAt` is the redirect URI with the actual port. */
function placeOf(uri: string) {
  const [start = '', host, port = '80'] = LOOPBACK.exec(uri) ?? []
  if (host === undefined || !URL.canParse(uri)) {
    throw new TypeError(
      `redirectUris: ${JSON.stringify(uri)} is no http URI on 127.0.0.1, localhost or [::1]`,
    )
  }
  return {
    host: host === '[::1]' ? '::1' : '127.0.0.1',
    port: Number(port),
    uriAt: (used: number) => (Number(port) === 0 ? `http://${host}:${used}${uri.slice(start.length)}` : uri),
  }
}

/** Whether a port is in use or reserved by Windows. */
function isPortTaken(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EADDRINUSE' || code === 'EACCES'
}

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  Connection: 'close',
}

/** Sends the page; resolves once it has been sent or the browser has disconnected. */
async function show(response: ServerResponse, status: number, text: string): Promise<void> {
  const done = once(response, 'close')
  response.writeHead(status, HEADERS).end(`<!doctype html><title>Login</title><p>${text}</p>`)
  await done
}
