/** Refuses requests that a web page may have sent on behalf of its visitor. Decisions: hosts. */
import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { AclError, shorten } from '@latchkey/contract'
import type { Service, WireRequest } from '@latchkey/service'
import { firstValue } from './api/wire-adapter.ts'
import { plainAddress } from './listener/connection-limit.ts'

/** The entry of `LATCHKEY_ALLOWED_HOSTS` that allows every host. */
export const ANY_HOST = '*'

interface HostGuardOptions {
  readonly host: string
  /** Names of the server that it also takes if it listens beyond loopback. */
  readonly ownNames?: readonly string[]
  /** Names and addresses that requests may be sent to, besides the server's own. */
  readonly allowedHosts: readonly string[]
  /** Whether the service refuses a request unless its secret is that of a token: a rebinding page has none. */
  readonly dependsOnSecret?: Service['dependsOnSecret']
  /** Origins whose pages may write. A wildcard grants none. */
  readonly allowedOrigins?: readonly string[]
}

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::'])
/** Methods that change nothing. RFC 9110, 9.2.1. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

type Asked = Pick<IncomingMessage, 'headers' | 'method' | 'socket' | 'url'> &
  (Pick<IncomingMessage, 'headersDistinct'> | Pick<WireRequest, 'header'>)

/**
 * Refuses a request for a host that is not this server: in DNS rebinding, a page of another site uses its own host
 * name, which it points here after loading. Also refuses a write from a page of another origin.
 *
 * An IP address cannot be rebound. It is still refused if the server does not listen on it. A server that listens on
 * every address accepts any, for example the address of the machine that runs its container.
 */
export class HostGuard {
  private readonly names: ReadonlySet<string>
  private readonly origins: ReadonlySet<string>
  private readonly allowsAny: boolean
  private readonly isEverywhere: boolean
  private readonly dependsOnSecret: Service['dependsOnSecret']
  /** Most requests repeat the host of the previous one. */
  private lastAdmitted: string | undefined

  constructor(options: HostGuardOptions) {
    const { host, ownNames = [], allowedHosts, allowedOrigins, dependsOnSecret } = options
    const names = isOfLoopback(canonical(host)) ? [host] : [host, ...ownNames]
    this.origins = new Set(allowedOrigins)
    this.names = new Set([...names, ...allowedHosts].map((name) => canonical(name)))
    this.allowsAny = allowedHosts.includes(ANY_HOST)
    this.isEverywhere = WILDCARDS.has(host)
    this.dependsOnSecret = dependsOnSecret ?? (() => false)
  }

  /** @returns why the request is refused: `host_not_allowed`, `origin_foreign`. */
  refusalOf(request: Asked): AclError | undefined {
    const { host, origin } = request.headers
    // Only old clients and probes omit it; browsers never do.
    if (host && !this.admits(host, request.socket) && !this.isWithSecret(request)) return hostNotAllowed(host)
    const target = authorityOf(request.url)
    if (target !== undefined && !this.admits(target, request.socket)) return hostNotAllowed(target)
    if (origin === undefined || SAFE_METHODS.has(request.method ?? 'GET')) return undefined
    return isSameHost(origin, host) || this.origins.has(origin) ? undefined : originForeign()
  }

  private isWithSecret(request: Asked): boolean {
    const { method = 'GET', url = '' } = request
    const header = (name: string) => ('header' in request ? request.header(name) : firstValue(request, name))
    return this.dependsOnSecret({ method, url, header })
  }

  private admits(host: string, socket: Socket): boolean {
    if (host === this.lastAdmitted) return true
    const name = hostnameOf(host)
    if (name === undefined) return this.allowsAny
    if (!this.admitsAlways(name)) return name === plainAddress(socket.localAddress ?? '')
    this.lastAdmitted = host
    return true
  }

  private admitsAlways(name: string): boolean {
    if (this.allowsAny || this.names.has(name)) return true
    return isOfLoopback(name) || (this.isEverywhere && isIP(name) !== 0)
  }
}

/** The host of a request line with a whole URL. RFC 9112, 3.2.2. */
function authorityOf(url: string | undefined): string | undefined {
  if (url === undefined || url.startsWith('/')) return undefined
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1]
}

/** The name or address of a Host header, without its port; undefined if malformed. */
function hostnameOf(host: string): string | undefined {
  const [, name] = /^(\[[0-9a-f:.]+\]|[^\s:@/?#\\[\]]+)(?::\d{0,5})?$/i.exec(host) ?? []
  return name === undefined ? undefined : canonical(name)
}

/** A host in lower case, without brackets or a trailing dot; an IPv6 address is in its canonical short form. */
function canonical(name: string): string {
  const bare = name.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  if (isIP(bare) === 6) return plainAddress(new URL(`http://[${bare}]`).hostname.slice(1, -1))
  return bare.endsWith('.') ? bare.slice(0, -1) : bare
}

function isOfLoopback(name: string): boolean {
  if (isIP(name) === 0) return name === 'localhost' || name.endsWith('.localhost')
  return name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}

/** Whether an Origin has the host and port of a request. A balancer may change the scheme. */
function isSameHost(origin: string, host: string | undefined): boolean {
  const from = URL.parse(origin)
  if (from === null || from.host === '' || host === undefined) return false
  return URL.parse(`${from.protocol}//${host}`)?.host === from.host
}

function hostNotAllowed(host: string): AclError {
  const name = JSON.stringify(shorten(host))
  const message = `The Host ${name} does not name this server. LATCHKEY_ALLOWED_HOSTS adds names; a request that needs a right may present a token instead`
  return new AclError('host_not_allowed', message, { field: 'Host' })
}

function originForeign(): AclError {
  return new AclError('origin_foreign', 'A page of another origin may not write here', { field: 'Origin' })
}
