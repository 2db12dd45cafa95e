import { AclError } from '@latchkey/contract'

/**
 * SQLSTATEs, or their leading characters, which mean that the database is unavailable, not that a statement is wrong.
 * See the table of error codes in PostgreSQL's manual, appendix A.
 */
const UNAVAILABLE_STATES: readonly string[] = [
  '08', // the connection failed
  '25006', // it has become read-only: a standby, or a primary out of space
  '25P03', // the transaction idled too long: this process was paused
  '28', // it no longer accepts our user or password
  '3D000', // our database does not exist, or not yet
  '40001', // serialization failure
  '40P01', // deadlock
  '42501', // it cannot access its own files, as on a disk that became read-only, or has revoked our rights
  '53', // out of connections, memory or disk
  '55P03', // a lock was not available in time
  '57', // statement timeout; it is shutting down or starting, or an operator ended the connection
  '58', // system errors, such as I/O errors
]

const UNAVAILABLE_SYSTEM_CODES: ReadonlySet<string> = new Set([
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

/** Prisma's own codes for errors without an SQLSTATE: see its error reference. */
const UNAVAILABLE_PRISMA_CODES: ReadonlySet<string> = new Set([
  'P1001', // cannot reach the server
  'P1002', // it timed out
  'P1008', // an operation timed out
  'P1017', // it closed the connection
  'P2024', // no connection from the pool in time
  'P2028', // no transaction in time
])

/** How Prisma's driver adapter reports socket errors; a raw query hides them behind the code P2010. */
const UNAVAILABLE_ADAPTER_KINDS: ReadonlySet<unknown> = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TlsConnectionError',
])

/** Messages that the driver throws without any code (pg 8.23, pg-pool 3.14). */
const UNAVAILABLE_DRIVER_MESSAGES: readonly string[] = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed',
  'Cannot use a pool after calling end on the pool',
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
 * @returns an `AclError` `unavailable` (503, `Retry-After: 1`) with the error as its cause; or the error itself.
 */
export function asAclError(error: unknown): unknown {
  if (!isUnavailable(error)) return error
  return new AclError('unavailable', 'The database cannot be reached; try again', {
    headers: { 'Retry-After': '1' },
    cause: error,
  })
}

/** Runs database work; converts its errors with {@link asAclError}. */
export async function withAclErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asAclError(error)
  }
}

/** Whether an error means that the database is unavailable; other errors are wrong statements or bugs. */
export function isUnavailable(error: unknown): boolean {
  const { code, message, cause } = partsOf(error)
  const state = sqlStateOf(error)
  if (state !== undefined) return UNAVAILABLE_STATES.some((prefix) => state.startsWith(prefix))
  if (UNAVAILABLE_ADAPTER_KINDS.has(adapterCauseOf(error).kind)) return true
  if (typeof code === 'string') {
    return UNAVAILABLE_SYSTEM_CODES.has(code) || UNAVAILABLE_PRISMA_CODES.has(code)
  }
  if (typeof message === 'string' && UNAVAILABLE_DRIVER_MESSAGES.some((text) => message.startsWith(text)))
    return true
  return cause !== undefined && isUnavailable(cause)
}

/** The error that the driver adapter caught, whether it was thrown directly or wrapped by Prisma. */
function adapterCauseOf(error: unknown): ErrorParts {
  return partsOf(partsOf(partsOf(error).meta?.driverAdapterError ?? error).cause)
}

function partsOf(error: unknown): ErrorParts {
  return typeof error === 'object' && error !== null ? error : {}
}
