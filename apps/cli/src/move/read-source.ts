/** Reads the records that a move takes from another service, and says which of them a create cannot make. */
import { findRulesProblem, isReservedId, isUuid } from '@latchkey/acl'
import { AclError, decodeBody, limits, REDACTED_SECRET_ID, type Schema } from '@latchkey/contract'
import { type Client, Invalid, NotFound, PermissionDenied } from '@latchkey/sdk'
import { FOLDER_KINDS, inTurns, isEmpty } from '../folder/kinds.ts'
import { CliError, EXIT } from '../frame/cli-error.ts'
import { type Fields, keyOf, resourceOf } from '../records/find.ts'

/** In the order in which they are written: records before those that link them. */
export const MOVED_KINDS = ['policy', 'role', 'auth-method', 'binding-rule', 'token'] as const
export type MovedKind = (typeof MOVED_KINDS)[number]
export type Records = Readonly<Record<MovedKind, readonly Fields[]>>

/**
 * Every record of a service, with rules, configurations and secrets.
 * @throws CliError if the token of the client may not see secrets.
 */
export async function readRecords(
  client: Client,
  { where, onProgress }: { readonly where: string; readonly onProgress: (text: string) => void },
): Promise<Records> {
  const read = async (kind: MovedKind) => {
    onProgress(`reading ${kind} records of ${where} …`)
    const resource = resourceOf(client, kind)
    const entries = await resource.list().catch(noneIfAbsent)
    // Lists lack the rules, the configuration, and the secrets.
    if (kind === 'role' || kind === 'binding-rule') return entries
    const records = await inTurns(entries, (entry) =>
      // A legacy token may have no accessor yet.
      entry.AccessorID === '' ? entry : resource.read(keyOf(kind, entry)).catch(goneIfAbsent),
    )
    return records.filter((record) => record !== undefined)
  }
  const records = {
    policy: await read('policy'),
    role: await read('role'),
    'auth-method': await read('auth-method'),
    'binding-rule': await read('binding-rule'),
    token: await read('token'),
  }
  if (records.token.some(({ SecretID }) => SecretID === REDACTED_SECRET_ID))
    throw new CliError(`the token for ${where} sees no secrets: it needs acl:write there`, {
      exitCode: EXIT.denied,
    })
  return records
}

/** An empty list for a kind that the version of the service does not have. */
function noneIfAbsent(error: unknown): [] {
  if (error instanceof NotFound || error instanceof Invalid) return []
  throw error
}

/** A record that was deleted, or a token that expired, since it was listed. */
function goneIfAbsent(error: unknown): undefined {
  if (error instanceof NotFound || (error instanceof PermissionDenied && error.missing === undefined)) return
  throw error
}

/** The body of a create: the fields that a caller may set, and the ids. Links are by ID, because the ids stay the same. */
export function bodyOf(kind: MovedKind, record: Fields): Fields {
  const ids = kind === 'token' ? ['SecretID'] : kind === 'auth-method' ? [] : ['ID']
  const fields = [...ids, ...FOLDER_KINDS[kind].fields].map((name) => [name, sentValue(name, record[name])])
  return Object.fromEntries(fields.filter(([, value]) => !isEmpty(value)))
}

function sentValue(name: string, value: unknown): unknown {
  if ((name === 'Policies' || name === 'Roles') && Array.isArray(value))
    return value.map(({ ID }) => ({ ID }))
  // Finer than a millisecond elsewhere.
  if (name === 'ExpirationTime' && typeof value === 'string') return new Date(value).toISOString()
  return value
}

/** Why a create cannot make this record; `undefined` if it can. */
export function obstacleOf(kind: MovedKind, record: Fields, now: number): string | undefined {
  const own = kind === 'token' ? obstacleOfToken(record, now) : undefined
  if (own !== undefined) return own
  try {
    decodeBody(FOLDER_KINDS[kind].schema as Schema, JSON.stringify(bodyOf(kind, record)))
  } catch (error) {
    if (error instanceof AclError) return error.message
    throw error
  }
  return kind === 'policy' ? findRulesProblem(String(record.Rules))?.message : undefined
}

function obstacleOfToken(record: Fields, now: number): string | undefined {
  const { AuthMethod, Rules, Legacy, SecretID, AccessorID, ExpirationTime } = record
  if (AuthMethod) return `a login through ${AuthMethod} made it: log in again here`
  if (Rules || Legacy) return 'it has legacy rules: give it policies there first'
  for (const [name, id] of Object.entries({ AccessorID, SecretID })) {
    if (!isUuid(String(id))) return `its ${name} is not a UUID`
    if (isReservedId(String(id))) return `its ${name} is reserved`
  }
  if (typeof ExpirationTime !== 'string') return undefined
  const leftMs = Date.parse(ExpirationTime) - now
  if (leftMs >= limits.EXPIRATION_MS_MIN && leftMs <= limits.EXPIRATION_MS_MAX) return undefined
  return `it expires at ${ExpirationTime}, and a new token expires after 1 minute to 24 hours`
}
