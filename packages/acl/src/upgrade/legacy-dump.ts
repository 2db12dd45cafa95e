/**
 * Reading the dump of a legacy token list, record by record, for import and for the migrator. What is read is an old
 * service's data, so the reading is lenient where nothing is lost, and every finding says where it is. A finding never
 * carries a secret. Spec 9.1, 9.2.4; decisions: rule language, secrets.
 */
import { AclError, type LegacyToken, limits, REDACTED_SECRET_ID, utf8Length } from '@latchkey/contract'
import { ANONYMOUS_TOKEN_ACCESSOR_ID, ROOT_NAMES } from '../builtin.ts'
import { idKey, isReservedId } from '../ids.ts'
import { parseLegacyRules } from '../rules/language/parse-rules.ts'

export type LegacyFindingCode =
  | 'record_malformed'
  | 'field_malformed'
  | 'field_unknown'
  | 'field_too_long'
  | 'id_missing'
  | 'id_redacted'
  | 'id_root_name'
  | 'id_reserved'
  | 'id_duplicate'
  | 'type_unknown'
  | 'rules_unused'
  | 'rules_unreadable'
  | 'rules_ignored'

export interface LegacyFinding {
  /** An `error` keeps the record out; a `warning` says what is read otherwise than it looks. */
  readonly severity: 'error' | 'warning'
  readonly code: LegacyFindingCode
  /** Place of the record in the list, from 0. */
  readonly position: number
  /** Path of the field, such as `[3].Type`, or of the record, `[3]`. */
  readonly path: string
  readonly message: string
}

export interface LegacyReading {
  /** The token, unless a finding is an error. */
  readonly token: LegacyToken | undefined
  readonly findings: readonly LegacyFinding[]
}

/** The position at which each id was first read. A Map is one; a reader of millions of ids brings a smaller one. */
export interface SeenIds {
  get(id: string): number | undefined
  set(id: string, position: number): unknown
}

/** The position of a record, and the IDs before it with theirs; reading adds its own. */
export interface LegacyReadingContext {
  readonly position: number
  readonly seen: SeenIds
}

const FIELDS: readonly string[] = ['ID', 'Name', 'Type', 'Rules', 'CreateIndex', 'ModifyIndex']

/** Reads one record of a dump, already parsed from JSON. */
export function readLegacyRecord(value: unknown, { position, seen }: LegacyReadingContext): LegacyReading {
  const findings: LegacyFinding[] = []
  const find: Find = (severity, code, field, message) => {
    const path = field === '' ? `[${position}]` : `[${position}].${field}`
    findings.push({ severity, code, position, path, message: `${path} ${message}` })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    find('error', 'record_malformed', '', 'is not an object')
    return { token: undefined, findings }
  }
  const fields = new Map<string, unknown>(Object.entries(value))
  for (const name of fields.keys()) {
    if (!FIELDS.includes(name)) findUnknownField(name, find)
  }
  const token: LegacyToken = {
    ID: readId(fields.get('ID'), find),
    Name: readText(fields.get('Name'), { name: 'Name', bytesMax: limits.DESCRIPTION_BYTES_MAX }, find),
    Type: readType(fields.get('Type'), find),
    Rules: readText(fields.get('Rules'), { name: 'Rules', bytesMax: limits.RULES_BYTES_MAX }, find),
    CreateIndex: readIndex(fields.get('CreateIndex'), 'CreateIndex', find),
    ModifyIndex: readIndex(fields.get('ModifyIndex'), 'ModifyIndex', find),
  }
  if (token.Type === 'management' && token.Rules !== '') {
    find('warning', 'rules_unused', 'Rules', 'are not looked at, as a management token may do everything')
  }
  if (token.ID !== '') {
    const key = idKey(token.ID)
    const first = seen.get(key)
    if (first === undefined) seen.set(key, position)
    else find('error', 'id_duplicate', 'ID', `is the same as [${first}].ID`)
  }
  const isRefused = findings.some((finding) => finding.severity === 'error')
  return { token: isRefused ? undefined : token, findings }
}

/**
 * What is wrong with the rules of a client token that was read: apart from the reading, as it costs far more. A text that
 * cannot be read comes in all the same, as it did in the old service, where every use of the token fails.
 */
export function checkLegacyRules({ Type, Rules }: LegacyToken, position: number): readonly LegacyFinding[] {
  if (Type === 'management') return []
  const path = `[${position}].Rules`
  const warning = (code: LegacyFindingCode, message: string): LegacyFinding => ({
    severity: 'warning',
    code,
    position,
    path,
    message: `${path} ${message}`,
  })
  try {
    return parseLegacyRules(Rules).warnings.map(({ line, column, message }) =>
      warning('rules_ignored', `line ${line}, column ${column}: ${message}`),
    )
  } catch (error) {
    if (!(error instanceof AclError)) throw error
    return [
      warning(
        'rules_unreadable',
        `cannot be read, so that every use of the token is refused: ${error.message}`,
      ),
    ]
  }
}

type Find = (
  severity: LegacyFinding['severity'],
  code: LegacyFindingCode,
  field: string,
  message: string,
) => void

/** @returns the ID, or an empty text where there is none to compare with others. */
function readId(value: unknown, find: Find): string {
  if (value === undefined || value === null || value === '') {
    find('error', 'id_missing', 'ID', 'is missing')
    return ''
  }
  if (typeof value !== 'string') {
    find('error', 'field_malformed', 'ID', 'is not a string')
    return ''
  }
  if (value === REDACTED_SECRET_ID) {
    find('error', 'id_redacted', 'ID', 'is redacted: dump the list with a token that may see secrets')
    return ''
  }
  if (ROOT_NAMES.has(value))
    find('error', 'id_root_name', 'ID', 'is the name of a root authorizer, which is never a secret')
  if (value.length > limits.LEGACY_SECRET_LENGTH_MAX) {
    find('error', 'field_too_long', 'ID', `is longer than ${limits.LEGACY_SECRET_LENGTH_MAX} characters`)
  }
  if (value.toLowerCase() === ANONYMOUS_TOKEN_ACCESSOR_ID) {
    find('error', 'id_reserved', 'ID', 'is the accessor of the anonymous token')
  } else if (isReservedId(value)) {
    find('warning', 'id_reserved', 'ID', 'begins as reserved ids do; a new token could not have it')
  }
  return value
}

function readText(
  value: unknown,
  { name, bytesMax }: { readonly name: string; readonly bytesMax: number },
  find: Find,
): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') {
    find('error', 'field_malformed', name, 'is not a string')
    return ''
  }
  if (utf8Length(value) > bytesMax) find('error', 'field_too_long', name, `is longer than ${bytesMax} bytes`)
  return value
}

/** An absent type is client, the default of the legacy API. */
function readType(value: unknown, find: Find): LegacyToken['Type'] {
  if (value === undefined || value === null) return 'client'
  if (value === 'client' || value === 'management') return value
  find('error', 'type_unknown', 'Type', 'is neither "client" nor "management"')
  return 'client'
}

/** An absent index is 0: the record comes before all that have one. */
function readIndex(value: unknown, name: string, find: Find): number {
  if (value === undefined || value === null) return 0
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  find('error', 'field_malformed', name, 'is not a whole number from 0 to 2^53 - 1')
  return 0
}

/** Names that may be shown: a malformed dump could have anything as a name, a secret included. */
const PLAIN_NAME = /^[A-Za-z_]{1,32}$/

function findUnknownField(name: string, find: Find): void {
  const message = 'is not a field of a legacy token; it is ignored'
  if (PLAIN_NAME.test(name)) find('warning', 'field_unknown', name, message)
  else find('warning', 'field_unknown', '', `has a field, not named here, that ${message}`)
}
