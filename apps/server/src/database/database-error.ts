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

/** SQLSTATEs, or their first characters, of an unavailable database; the first that fits counts. */
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

const TLS_CODE = /CERT|SSL|TLS|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^PATH_LENGTH_EXCEEDED$/

/** Other codes: of the system, of Prisma (see its error reference), and the kinds of its driver adapter. */
const OUTAGE_BY_CODE: ReadonlyMap<unknown, Outage> = new Map(
  (
    [
      [UNREACHABLE, 'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ENOTFOUND EAI_AGAIN ETIMEDOUT EHOSTUNREACH'],
      // The last two: the socket file of a database that is down, and files that its URL names.
      [UNREACHABLE, 'ENETUNREACH P1001 P1017 DatabaseNotReachable ConnectionClosed ENOENT EACCES'],
      [TOO_SLOW, 'P1002 P1008 P2024 P2028 SocketTimeout'],
      [UNTRUSTED, 'P1011 TlsConnectionError'],
    ] as const
  ).flatMap(([outage, codes]) => codes.split(' ').map((code) => [code, outage] as const)),
)

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

/** The SQLSTATE of an error of `pg` or Prisma, whose own codes are less specific. */
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
 * Converts errors that mean "the database is unavailable" to an `AclError` with one of {@link OUTAGE_CODES} (503). If
 * the connection broke before the answer, the caller of a write cannot know whether it was committed.
 */
export function asAclError(error: unknown): unknown {
  const outage = outageOf(error)
  if (outage === undefined) return error
  return new AclError(outage.code, outage.message, { headers: { 'Retry-After': '1' }, cause: error })
}

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
  const ofCode = OUTAGE_BY_CODE.get(adapterCauseOf(error).kind) ?? OUTAGE_BY_CODE.get(code)
  if (ofCode !== undefined) return ofCode
  if (typeof code === 'string') return TLS_CODE.test(code) ? UNTRUSTED : undefined
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
