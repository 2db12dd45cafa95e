import { AclError, type OUTAGE_CODES } from '@latchkey/contract'

/** Why the database does not serve a request, for the caller. Its own message, with more detail, is for the log. */
interface Outage {
  readonly code: (typeof OUTAGE_CODES)[number]
  readonly message: string
}

const UNREACHABLE: Outage = { code: 'unavailable', message: 'The database cannot be reached; try again' }
const TOO_SLOW: Outage = { code: 'unavailable', message: 'The database did not answer in time; try again' }
const STOPPING: Outage = { code: 'unavailable', message: 'The database is starting or stopping; try again' }
const CONFLICT: Outage = { code: 'unavailable', message: 'Transactions of the database conflict; try again' }
const UNKNOWN: Outage = { code: 'database_refused', message: 'The database of this server does not exist' }
const DAMAGED: Outage = { code: 'database_damaged', message: 'The database cannot read or write its files' }
const UNTRUSTED: Outage = {
  code: 'database_refused',
  message: 'This server and the database do not agree on an encrypted connection',
}

/**
 * SQLSTATEs, or their leading characters, which mean that the database is unavailable, not that a statement is wrong.
 * The first that fits counts. See the table of error codes in PostgreSQL's manual, appendix A.
 */
const OUTAGE_BY_STATE: readonly (readonly [state: string, Outage])[] = [
  ['08', UNREACHABLE], // the connection failed
  // A standby, or a database whose operator has set default_transaction_read_only.
  ['25006', { code: 'database_read_only', message: 'The database accepts no writes now' }],
  ['25P03', TOO_SLOW], // the transaction idled too long: this process was paused
  ['28', { code: 'database_refused', message: 'The database refuses the user or password of this server' }],
  ['3D000', UNKNOWN], // or not yet
  ['40', CONFLICT], // serialization failure, deadlock
  // It has revoked our rights, or may not open its own files, as on a disk that became read-only.
  ['42501', { code: 'database_refused', message: 'The database denies this server access' }],
  ['53100', { code: 'database_full', message: 'The disk of the database is full' }],
  ['53200', { code: 'database_overloaded', message: 'The database has no memory left; try again' }],
  ['53300', { code: 'database_overloaded', message: 'The database has no connection left; try again' }],
  ['53', { code: 'database_overloaded', message: 'The database has reached one of its limits; try again' }],
  ['55000', { code: 'database_refused', message: 'The database accepts no connections' }],
  ['55P03', TOO_SLOW], // a lock was not available in time
  ['57014', TOO_SLOW], // statement timeout
  ['57P04', UNKNOWN], // it was dropped
  ['57', STOPPING], // or an operator ended the connection
  ['58', DAMAGED], // I/O errors, missing files
  ['XX001', DAMAGED], // damaged data
  ['XX002', DAMAGED], // damaged index
]

const UNREACHABLE_SYSTEM_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOENT', // the socket file of a database that is down, or a file that its URL names
  'EACCES', // a file that this user may not read
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** Codes of OpenSSL and Node for a certificate or a handshake. */
const TLS_CODE = /CERT|SSL|TLS|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^PATH_LENGTH_EXCEEDED$/

/** Prisma's own codes for errors without an SQLSTATE: see its error reference. */
const OUTAGE_BY_PRISMA_CODE: ReadonlyMap<string, Outage> = new Map([
  ['P1001', UNREACHABLE], // cannot reach the server
  ['P1002', TOO_SLOW], // it timed out
  ['P1008', TOO_SLOW], // an operation timed out
  ['P1011', UNTRUSTED], // the TLS connection failed
  ['P1017', UNREACHABLE], // it closed the connection
  ['P2024', TOO_SLOW], // no connection from the pool in time
  ['P2028', TOO_SLOW], // no transaction in time
])

/** How Prisma's driver adapter reports socket errors; a raw query hides them behind the code P2010. */
const OUTAGE_BY_ADAPTER_KIND: ReadonlyMap<unknown, Outage> = new Map([
  ['DatabaseNotReachable', UNREACHABLE],
  ['ConnectionClosed', UNREACHABLE],
  ['SocketTimeout', TOO_SLOW],
  ['TlsConnectionError', UNTRUSTED],
])

/** Messages that the driver throws without any code (pg 8.23, pg-pool 3.14). */
const OUTAGE_BY_DRIVER_MESSAGE: readonly (readonly [message: string, Outage])[] = [
  ['Connection terminated', UNREACHABLE],
  ['timeout exceeded when trying to connect', TOO_SLOW],
  ['timeout expired', TOO_SLOW],
  ['Query read timeout', TOO_SLOW],
  ['Client has encountered a connection error', UNREACHABLE],
  ['Client was closed', UNREACHABLE],
  ['Cannot use a pool after calling end on the pool', UNREACHABLE],
  ['The server does not support SSL connections', UNTRUSTED],
  ['There was an error establishing an SSL connection', UNTRUSTED],
]

/** The relevant parts of an error, whether pg, Node or Prisma threw it. */
interface ErrorParts {
  readonly code?: unknown
  readonly message?: unknown
  readonly cause?: unknown
  /** Where Prisma keeps the error of its driver adapter. */
  readonly meta?: { readonly driverAdapterError?: ErrorParts }
  /** In the cause of that error: the SQLSTATE, or the error of the socket. */
  readonly originalCode?: unknown
  readonly kind?: unknown
}

/**
 * The SQLSTATE of a database error, thrown by `pg` or through Prisma; undefined if it has none. Prisma's own codes are
 * less specific and differ between a query and a raw query, so they are not used for this.
 */
export function sqlStateOf(error: unknown): string | undefined {
  const { code } = partsOf(error)
  const { originalCode } = adapterCauseOf(error)
  if (typeof originalCode === 'string') return originalCode
  // Prisma's codes (P1001, P2002) look like an SQLSTATE, but all PostgreSQL codes that begin with P begin with P0.
  return typeof code === 'string' && /^(?!P[1-9])[0-9A-Z]{5}$/.test(code) && !code.startsWith('E')
    ? code
    : undefined
}

/**
 * Converts errors that mean "the database is unavailable" to a refusal; returns any other error unchanged.
 *
 * If the connection broke before the answer, the caller of a write cannot know whether it was committed.
 *
 * @returns an `AclError` with one of {@link OUTAGE_CODES} (503, `Retry-After: 1`) and the error as its cause; or the
 * error itself.
 */
export function asAclError(error: unknown): unknown {
  const outage = outageOf(error)
  if (outage === undefined) return error
  return new AclError(outage.code, outage.message, { headers: { 'Retry-After': '1' }, cause: error })
}

/** Runs database work; converts its errors with {@link asAclError}. */
export async function withAclErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asAclError(error)
  }
}

/** Why the database is unavailable; undefined for wrong statements and bugs. */
export function outageOf(error: unknown): Outage | undefined {
  const { code, message, cause } = partsOf(error)
  const state = sqlStateOf(error)
  if (state !== undefined) return firstOf(OUTAGE_BY_STATE, state)
  const ofAdapter = OUTAGE_BY_ADAPTER_KIND.get(adapterCauseOf(error).kind)
  if (ofAdapter !== undefined) return ofAdapter
  if (typeof code === 'string') {
    if (UNREACHABLE_SYSTEM_CODES.has(code)) return UNREACHABLE
    return OUTAGE_BY_PRISMA_CODE.get(code) ?? (TLS_CODE.test(code) ? UNTRUSTED : undefined)
  }
  const ofDriver = typeof message === 'string' ? firstOf(OUTAGE_BY_DRIVER_MESSAGE, message) : undefined
  return ofDriver ?? (cause === undefined ? undefined : outageOf(cause))
}

function firstOf(table: readonly (readonly [prefix: string, Outage])[], text: string): Outage | undefined {
  return table.find(([prefix]) => text.startsWith(prefix))?.[1]
}

/** The error that the driver adapter caught, whether it was thrown directly or wrapped by Prisma. */
function adapterCauseOf(error: unknown): ErrorParts {
  return partsOf(partsOf(partsOf(error).meta?.driverAdapterError ?? error).cause)
}

function partsOf(error: unknown): ErrorParts {
  return typeof error === 'object' && error !== null ? error : {}
}
