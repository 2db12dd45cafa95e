/** Options of clients and calls. All times are in milliseconds. */
import { type EndpointName, HEADER_PREFIX_DEFAULT, PRODUCT_VERSION, refuseUnknownNames } from './contract.ts'
import type { LatchkeyError } from './errors.ts'

/** The part of Node's `process` that this file uses. */
interface NodeProcess {
  readonly env: Readonly<Record<string, string | undefined>>
  getBuiltinModule(id: 'node:fs'): { readFileSync(path: string, encoding: 'utf8'): string }
}

/** Settings from the environment; unset or empty ones are `undefined`. */
interface Environment {
  readonly address: string | undefined
  readonly token: string | undefined
  /** Reads the token from LATCHKEY_TOKEN_FILE, which may be replaced during the life of the client. */
  readonly readTokenFile: (() => string) | undefined
}

const NOTHING: Environment = { address: undefined, token: undefined, readTokenFile: undefined }

/** Reads LATCHKEY_ADDR, LATCHKEY_TOKEN and LATCHKEY_TOKEN_FILE. In a browser, all are `undefined`. */
function readEnvironment(): Environment {
  const node = nodeProcess()
  if (!node) return NOTHING
  try {
    return readFrom(node)
  } catch {
    // Deno denies access to the environment without permission.
    return NOTHING
  }
}

function readFrom(node: NodeProcess): Environment {
  const { env } = node
  const tokenFile = env.LATCHKEY_TOKEN_FILE || undefined
  return {
    address: env.LATCHKEY_ADDR || undefined,
    token: env.LATCHKEY_TOKEN || undefined,
    readTokenFile: tokenFile === undefined ? undefined : tokenFileReader(node, tokenFile),
  }
}

/** Returns the last token while the file is empty or absent, as it may be during a replacement. */
function tokenFileReader(node: NodeProcess, path: string): () => string {
  let last = ''
  return () => {
    try {
      // Editors and `echo` end files with a newline, which is not part of the token.
      last = node.getBuiltinModule('node:fs').readFileSync(path, 'utf8').trim() || last
    } catch (error) {
      if (last === '') throw error
    }
    return last
  }
}

/** Returns Node's `process`; `undefined` in other runtimes, and in a browser or a test with a DOM. */
function nodeProcess(): NodeProcess | undefined {
  if ('document' in globalThis) return undefined
  const candidate: unknown = Reflect.get(globalThis, 'process')
  return isNodeProcess(candidate) ? candidate : undefined
}

function isNodeProcess(value: unknown): value is NodeProcess {
  return (
    typeof value === 'object' &&
    value !== null &&
    'env' in value &&
    'getBuiltinModule' in value &&
    typeof value.getBuiltinModule === 'function'
  )
}

/**
 * How fresh a read must be. `default`: it sees every earlier write. `consistent`: it is also confirmed with the primary
 * database. `stale`: it returns the state of one process, even without the database; `withMeta()` returns the age of
 * that state. Spec 4.1.
 */
export type Consistency = 'default' | 'consistent' | 'stale'

/** The part of `fetch` that the SDK uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** A secret, or a function that returns one and is called before every attempt. */
export type TokenSource = string | (() => string | undefined | Promise<string | undefined>)

/** The argument of `onRetry`, without secrets. */
export interface RetryEvent {
  readonly endpoint: EndpointName
  /** Number of the attempt that failed, from 1. A watch counts from its last answer. */
  readonly attempt: number
  readonly delayMs: number
  readonly error: LatchkeyError
}

export interface ClientOptions {
  /** URL of the service, such as `https://acl.example.com`. Default: LATCHKEY_ADDR. */
  readonly address?: string | undefined
  /** The secret to present. Default: LATCHKEY_TOKEN, then the content of LATCHKEY_TOKEN_FILE, then none (anonymous). */
  readonly token?: TokenSource | undefined
  /** Namespace of all calls, in the extended edition. Spec 4.9. */
  readonly namespace?: string | undefined
  /** Datacenter of all calls, as listed by `status.datacenters`. Default: the server's. */
  readonly datacenter?: string | undefined
  /** `false`: ignore the environment. It is never read in browsers. */
  readonly env?: boolean | undefined
  /** Replaces the global `fetch`, for proxies, client certificates and tests. */
  readonly fetch?: Fetch | undefined
  /** Header family of the service. Default `X-Service-`. */
  readonly headerPrefix?: string | undefined
  /** Maximum time of one call, including retries; the `wait` of a blocking query is added. Default 30,000. */
  readonly timeout?: number | undefined
  /** Maximum time of one attempt, including the body; the `wait` of a blocking query is added. Default 10,000. */
  readonly attemptTimeout?: number | undefined
  /** Maximum retries of a failed call. Default 5. Writes are retried only when it is safe: see the README. */
  readonly retries?: number | undefined
  /** Default for all reads. */
  readonly consistency?: Consistency | undefined
  /**
   * Maximum wait of one request; a longer wait takes several requests. Default 240,000, because Node's `fetch` times
   * out after five minutes without headers. Raise it only with a `fetch` that has no such timeout.
   */
  readonly waitSlice?: number | undefined
  /** Called before every retry, including those of watches. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined
  /**
   * Headers to add to every request, such as those that a gateway requires. The SDK's own headers take precedence,
   * except `User-Agent`.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Receives a line per attempt (`debug`) and per retry (`warn`), without secrets; `console` works. Errors that it
   * throws are ignored.
   */
  readonly logger?: Logger | undefined
}

/** A logger for a client. */
export interface Logger {
  debug(message: string, facts: AttemptFacts): void
  warn(message: string, facts: RetryEvent): void
}

/** The facts of one attempt, for a log. */
export interface AttemptFacts {
  readonly endpoint: EndpointName
  /** HTTP status; absent if no answer arrived. */
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly ms: number
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, which rejects with the reason of the signal. A write may still have been applied. */
  readonly signal?: AbortSignal | undefined
  /** Overrides {@link ClientOptions.timeout}. */
  readonly timeout?: number | undefined
  /** Overrides {@link ClientOptions.attemptTimeout}. */
  readonly attemptTimeout?: number | undefined
  /** Overrides {@link ClientOptions.retries}. */
  readonly retries?: number | undefined
  /** Namespace of this call, in the extended edition; `*` lists all namespaces. Spec 4.8, 4.9. */
  readonly namespace?: string | undefined
}

/** Options of a read with consistency modes and blocking queries. Spec 4.1. */
export interface ReadOptions extends CallOptions {
  readonly consistency?: Consistency | undefined
  /** Makes the read a blocking query: it answers when the index has passed this one, or when `wait` is over. */
  readonly index?: number | undefined
  /** How long a blocking query waits. Default 240,000; the service allows at most 600,000 in one request. */
  readonly wait?: number | undefined
}

/** The names of options, as data: plain JavaScript has no type check that would find a misspelt one. */
export type NamesOf<Options, Except = never> = Readonly<Record<Exclude<keyof Options, Except>, true>>
/** The names of the options that a method adds to those of every call. */
export type OwnNames<Options> = NamesOf<Options, keyof ReadOptions>

const CLIENT_NAMES: NamesOf<ClientOptions> = {
  address: true,
  token: true,
  namespace: true,
  datacenter: true,
  env: true,
  fetch: true,
  headerPrefix: true,
  timeout: true,
  attemptTimeout: true,
  retries: true,
  consistency: true,
  waitSlice: true,
  onRetry: true,
  headers: true,
  logger: true,
}

const CALL_NAMES: NamesOf<ReadOptions> = {
  signal: true,
  timeout: true,
  attemptTimeout: true,
  retries: true,
  namespace: true,
  consistency: true,
  index: true,
  wait: true,
}

/**
 * Refuses misspelt options of a call.
 *
 * @throws TypeError that names the nearest option.
 */
export function checkCallNames(options: object, own: Readonly<Record<string, true>> = {}): void {
  refuseUnknownNames('option', options, Object.keys({ ...CALL_NAMES, ...own }))
}

/** Options of a paged list. */
export interface PageOptions extends ReadOptions {
  /** Maximum records of one page; the service allows at most 1,000. */
  readonly limit?: number | undefined
  /** Where the page begins: `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
}

export const PAGE_NAMES: OwnNames<PageOptions> = { limit: true, cursor: true }

/**
 * Options of a watch, which ends with `break`, when its signal is aborted, or with an error that a retry cannot fix.
 */
export interface WatchOptions {
  /** Ends the watch; the loop throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /** Resume after this index instead of starting with the current state. */
  readonly index?: number | undefined
  /** How long one request of the watch waits. Default and maximum: the client's `waitSlice`. */
  readonly wait?: number | undefined
  readonly consistency?: Consistency | undefined
  readonly namespace?: string | undefined
  /** Overrides {@link ClientOptions.attemptTimeout}. */
  readonly attemptTimeout?: number | undefined
  /** Maximum consecutive failures, after which the watch ends with the last error. Default: unlimited. */
  readonly retries?: number | undefined
}

/** Gets the secret of one attempt. */
export interface TokenGetter {
  (): string | undefined | Promise<string | undefined>
  /**
   * Called at most once per call, if the service does not know the presented secret.
   *
   * @returns whether there is another secret to try.
   */
  readonly replace?: (refused: string | undefined) => Promise<boolean>
}

/** The complete, validated options of a client. */
export interface Settings {
  /** Without a trailing slash. */
  readonly address: string
  readonly token: TokenGetter
  readonly namespace: string | undefined
  readonly datacenter: string | undefined
  readonly fetch: Fetch
  /** `undefined` if the platform refuses the field. */
  readonly cache: 'no-store' | undefined
  readonly headerPrefix: string
  readonly timeout: number
  readonly attemptTimeout: number
  readonly retries: number
  readonly consistency: Consistency
  readonly waitSlice: number
  readonly onRetry: (event: RetryEvent) => void
  readonly headers: Readonly<Record<string, string>>
  readonly logger: Logger | undefined
}

/**
 * Completes the options from the environment, then from defaults.
 *
 * @throws TypeError if the address is missing or a value is invalid. The message never contains a secret.
 */
export function readOptions(options: ClientOptions): Settings {
  refuseUnknownNames('option', options, Object.keys(CLIENT_NAMES))
  const environment = options.env === false ? undefined : readEnvironment()
  const { token: given } = options
  const logger = options.logger && harmless(options.logger)
  const tokenFile =
    given === undefined && environment?.token === undefined ? environment?.readTokenFile : undefined
  return {
    address: readAddress(options.address ?? environment?.address),
    token: tokenSource(tokenFile ?? given ?? environment?.token),
    namespace: options.namespace,
    datacenter: options.datacenter,
    // Looks up the global at each call, because mocks replace it later.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    cache: takesNoStore() ? 'no-store' : undefined,
    headerPrefix: options.headerPrefix ?? HEADER_PREFIX_DEFAULT,
    timeout: positive('timeout', options.timeout ?? 30_000),
    attemptTimeout: positive('attemptTimeout', options.attemptTimeout ?? 10_000),
    retries: count('retries', options.retries ?? 5),
    consistency: options.consistency ?? 'default',
    waitSlice: positive('waitSlice', options.waitSlice ?? 240_000),
    onRetry: (event) => {
      const { endpoint, attempt, delayMs, error } = event
      logger?.warn(
        `${endpoint}: attempt ${attempt} failed, next in ${Math.round(delayMs)} ms: ${error.message}`,
        event,
      )
      options.onRetry?.(event)
    },
    headers: checkHeaders({ ...userAgent(), ...options.headers }),
    logger,
  }
}

/**
 * Whether requests can say that their answers must not be stored. Older Workers throw on the field; other platforms
 * without it ignore it, or change the URL.
 */
function takesNoStore(): boolean {
  try {
    return new Request('http://localhost', { cache: 'no-store' }).cache === 'no-store'
  } catch {
    return false
  }
}

/** Ignores the logger's errors: they must not change the outcome of a call, such as a write that was applied. */
function harmless(logger: Logger): Logger {
  const attempt = (write: () => void): void => {
    try {
      write()
    } catch {
      // There is nowhere to report the error.
    }
  }
  return {
    debug: (message, facts) => attempt(() => logger.debug(message, facts)),
    warn: (message, facts) => attempt(() => logger.warn(message, facts)),
  }
}

/** Empty in browsers: they set their own, and a custom `User-Agent` would cause a CORS preflight. */
function userAgent(): Record<string, string> {
  const isBrowser = 'document' in globalThis || 'WorkerGlobalScope' in globalThis
  return isBrowser ? {} : { 'User-Agent': `latchkey-sdk/${PRODUCT_VERSION}` }
}

/** @throws TypeError that names the header that cannot be sent, without its value. */
function checkHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]])
    } catch {
      throw new TypeError(`headers: ${JSON.stringify(name)} or its value cannot be sent`)
    }
  }
  return headers
}

/** Converts a token to a getter. A fixed token is checked at once. */
export function tokenSource(token: TokenSource | undefined): Settings['token'] {
  if (typeof token === 'function') {
    // A secret may be rotated while a request, such as a blocking query, presents the old one.
    const replace = async (refused: string | undefined): Promise<boolean> => {
      const current = await token()
      return current !== undefined && current !== '' && current !== refused
    }
    return Object.assign(() => token(), { replace })
  }
  const checked = checkToken(token)
  return () => checked
}

/**
 * Checks that a token can be sent in a header. `fetch` would refuse it too, but its message would quote the token.
 *
 * @throws TypeError that names the position, without the value.
 */
export function checkToken(token: string | undefined): string | undefined {
  if (token === undefined || token === '') return undefined
  const position = token.search(/[^\x20-\x7e\x80-\xff]|^ | $/)
  if (position < 0) return token
  throw new TypeError(
    `The token holds, at position ${position}, a character that a header cannot carry there`,
  )
}

/** @throws TypeError naming the option and its bound. */
export function positive(name: string, value: number): number {
  if (value > 0) return value
  throw new TypeError(`${name} must be more than 0 milliseconds, not ${value}`)
}

/** @throws TypeError naming the option and its bound. */
export function count(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 0) return value
  throw new TypeError(`${name} must be a whole number from 0, not ${value}`)
}

function readAddress(address: string | undefined): string {
  if (address === undefined) throw new TypeError('No address: give the option address, or set LATCHKEY_ADDR')
  const text = address.includes('://') ? address : `http://${address}`
  // Omits the value, which may contain credentials.
  if (!URL.canParse(text)) throw new TypeError('address is not a URL')
  const { protocol, username, password, search, hash, origin, pathname } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new TypeError('address must be an http or https URL')
  if (username + password + search + hash !== '') {
    throw new TypeError(
      'address must hold no credentials, query or fragment; the token has an option of its own',
    )
  }
  return origin + pathname.replace(/\/+$/, '')
}
