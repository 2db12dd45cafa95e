/**
 * Reads the dump of a legacy token list, record by record, for import and for the migrator. Lenient if nothing is lost.
 * Findings have a path and never contain a secret. Spec 9.1, 9.2.4; decisions: rule language, secrets.
 */
import { AclError, type LegacyToken, limits, REDACTED_SECRET_ID, utf8Length } from '@latchkey/contract'
import { ANONYMOUS_TOKEN_ACCESSOR_ID, ROOT_NAMES } from '../builtin.ts'
import { idKey, isReservedId } from '../ids.ts'
import { parseRules } from '../rules/language/parse-rules.ts'

export type LegacyFindingCode =
  | 'field_malformed'
  | 'field_unknown'
  | 'field_too_long'
  | 'field_case'
  | 'list_wrapped'
  | 'token_of_token_api'
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
  /** An `error` rejects the record; a `warning` explains that the record means something other than it seems. */
  readonly severity: 'error' | 'warning'
  readonly code: LegacyFindingCode
  readonly position: number
  /** Path of the field, such as `[3].Type`, or of the record, `[3]`. */
  readonly path: string
  readonly message: string
}

/** The position at which each id was first read. A Map works; for millions of ids, pass a more compact structure. */
export interface SeenIds {
  get(id: string): number | undefined
  set(id: string, position: number): unknown
}

const FIELDS: readonly string[] = ['ID', 'Name', 'Type', 'Rules', 'CreateIndex', 'ModifyIndex']

/**
 * Reads one record of a dump at a position, and adds its id to the earlier ones.
 * @returns `token` is `undefined` if a finding is an error.
 */
export function readLegacyRecord(
  value: object,
  { position, seen }: { readonly position: number; readonly seen: SeenIds },
): { readonly token: LegacyToken | undefined; readonly findings: readonly LegacyFinding[] } {
  const findings: LegacyFinding[] = []
  const find: Find = (severity, code, field, message) => {
    const path = field === '' ? `[${position}]` : `[${position}].${field}`
    findings.push({ severity, code, position, path, message: `${path} ${message}` })
  }
  const fields = new Map<string, unknown>(Object.entries(value))
  const problem = fields.get('ID') === undefined ? findOtherFormat(fields) : undefined
  if (problem !== undefined) {
    find('error', problem.code, '', problem.message)
    return { token: undefined, findings }
  }
  for (const name of fields.keys()) {
    if (!FIELDS.includes(name)) findUnknownField(name, find)
  }
  if (findings.some(({ code }) => code === 'field_case')) return { token: undefined, findings }
  const token: LegacyToken = {
    ID: readId(fields.get('ID'), find),
    Name: readText(fields.get('Name'), { name: 'Name', bytesMax: limits.DESCRIPTION_BYTES_MAX }, find),
    Type: readType(fields.get('Type'), find),
    Rules: readText(fields.get('Rules'), { name: 'Rules', bytesMax: limits.RULES_BYTES_MAX }, find),
    CreateIndex: readIndex(fields.get('CreateIndex'), 'CreateIndex', find),
    ModifyIndex: readIndex(fields.get('ModifyIndex'), 'ModifyIndex', find),
  }
  if (token.Type === 'management' && token.Rules !== '') {
    find('warning', 'rules_unused', 'Rules', 'have no effect, since a management token has every right')
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
 * Findings in the rules of a client token. Separate from reading, because it costs far more. A token with unreadable
 * rules is still imported: every use of it also fails in the old service.
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
    const { warnings } = parseRules(Rules, { dialect: 'legacy' })
    return warnings.map(({ line, column, message }) =>
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

/** What a record without ID is, if it is not from the legacy list. */
function findOtherFormat(
  fields: ReadonlyMap<string, unknown>,
): { readonly code: LegacyFindingCode; readonly message: string } | undefined {
  if (fields.has('AccessorID')) {
    const message =
      'is from the list of the token API (/v1/acl/tokens), not from the legacy list (/v1/acl/list)'
    return { code: 'token_of_token_api', message }
  }
  const [wrapper] = [...fields].find(([, value]) => Array.isArray(value)) ?? []
  if (wrapper === undefined || fields.has('Rules')) return undefined
  const named = PLAIN_NAME.test(wrapper) ? `: give only the list, for example with jq .${wrapper}` : ''
  return { code: 'list_wrapped', message: `is not a token, but an object around a list${named}` }
}

type Find = (
  severity: LegacyFinding['severity'],
  code: LegacyFindingCode,
  field: string,
  message: string,
) => void

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
    find('warning', 'id_reserved', 'ID', 'has the reserved prefix; a new token could not have it')
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

/** An absent index is 0, which sorts first. */
function readIndex(value: unknown, name: string, find: Find): number {
  if (value === undefined || value === null) return 0
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  find('error', 'field_malformed', name, 'is not a whole number from 0 to 2^53 - 1')
  return 0
}

/** Field names that are safe to quote: in a malformed dump, a secret could be a field name. */
const PLAIN_NAME = /^[A-Za-z_]{1,32}$/

function findUnknownField(name: string, find: Find): void {
  const meant = FIELDS.find((field) => field.toLowerCase() === name.toLowerCase())
  const message = 'is not a field of a legacy token; it is ignored'
  if (meant !== undefined) find('error', 'field_case', name, `is written ${meant} in the legacy list`)
  else if (PLAIN_NAME.test(name)) find('warning', 'field_unknown', name, message)
  else find('warning', 'field_unknown', '', `has a field, not named here, that ${message}`)
}
