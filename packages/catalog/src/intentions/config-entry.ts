/** Config entries of kind `service-intentions`: all intentions to one destination. Spec 9.5; decisions: intentions. */

import {
  compareIntentions,
  type IntentionDestinationRecord,
  type IntentionRecord,
  intentionKey,
  precedenceOf,
  type StoredEntry,
  WILDCARD,
} from '@latchkey/acl'
import {
  AclError,
  type ConfigEntry,
  type IntentionPermission,
  shorten,
  type WriteConfigEntry,
} from '@latchkey/contract'
import {
  actionOf,
  checkEnd,
  checkSourceType,
  invalid,
  namespaceOfEnd,
  requireName,
} from './intention-fields.ts'

export const SERVICE_INTENTIONS = 'service-intentions'

type WrittenSource = NonNullable<WriteConfigEntry['Sources']>[number]

export interface EntryRecords {
  readonly destination: IntentionDestinationRecord
  readonly sources: readonly IntentionRecord[]
}

/**
 * Builds the records of an entry. Its sources have neither LegacyID nor times, because this is an edit
 * through config entries. Spec 9.5.3. @param namespace namespace of the destination.
 */
export function writeEntry(
  request: Pick<WriteConfigEntry, 'Name' | 'Sources' | 'Meta'>,
  { namespace, edition }: { readonly namespace: string; readonly edition: 'standard' | 'extended' },
): EntryRecords {
  const { Name, Sources = [], Meta = {} } = request
  requireName(Name, 'Name', 'is required')
  checkEnd({ namespace, name: Name }, { namespace: 'Namespace', name: 'Name' })
  if (Sources.length === 0) {
    throw new AclError('field_required', 'At least one source is required', { field: 'Sources' })
  }
  const destination = { DestinationNS: namespace, DestinationName: Name }
  const seen = new Set<string>()
  const sources = Sources.map((source, i) => {
    const place = `Sources[${i}]`
    const record = { ...sourceRecord(source, place, edition), ...destination }
    if (record.Permissions.length > 0 && Name === WILDCARD) {
      throw invalid(`${place}.Permissions`, 'cannot be specified on intentions with wildcarded destinations')
    }
    const key = intentionKey(record)
    if (seen.has(key)) throw invalid(place, `defines ${JSON.stringify(shorten(source.Name))} more than once`)
    seen.add(key)
    return record
  })
  return {
    destination: { ...destination, Meta, CreateIndex: 0, ModifyIndex: 0 },
    sources: sources.sort(compareIntentions),
  }
}

function sourceRecord(
  source: WrittenSource,
  place: string,
  edition: 'standard' | 'extended',
): Omit<IntentionRecord, 'DestinationNS' | 'DestinationName'> {
  const { Name, Permissions = [], Description = '', LegacyMeta = {} } = source
  requireName(Name, `${place}.Name`, 'is required')
  const SourceNS = namespaceOfEnd(source.Namespace, `${place}.Namespace`, edition)
  const fields = { namespace: `${place}.Namespace`, name: `${place}.Name` }
  checkEnd({ namespace: SourceNS, name: Name }, fields)
  if (Object.keys(LegacyMeta).length > 0) throw invalid(`${place}.LegacyMeta`, 'must be omitted')
  if (Permissions.length > 0 && source.Action) {
    throw invalid(`${place}.Action`, 'must be omitted if Permissions are specified')
  }
  const Action = Permissions.length > 0 ? undefined : actionOf(source.Action, `${place}.Action`)
  checkSourceType(source.Type, `${place}.Type`)
  return {
    SourceNS,
    SourceName: Name,
    SourceType: 'consul',
    Action,
    Permissions: checkPermissions(Permissions, `${place}.Permissions`),
    Description,
    LegacyID: undefined,
    LegacyMeta: {},
    LegacyCreateTime: undefined,
    LegacyUpdateTime: undefined,
    Hash: '',
    CreateIndex: 0,
    ModifyIndex: 0,
  }
}

/** An entry in answers. Keys are in the order of the contract's schema. */
export function showEntry({ destination, sources }: StoredEntry, showNamespace: boolean): ConfigEntry {
  const { DestinationNS, DestinationName, Meta, CreateIndex, ModifyIndex } = destination
  return {
    Kind: SERVICE_INTENTIONS,
    Name: DestinationName,
    Sources: sources.map((source) => showEntrySource(source, showNamespace)),
    ...(Object.keys(Meta).length === 0 ? {} : { Meta: { ...Meta } }),
    ...(showNamespace ? { Namespace: DestinationNS } : {}),
    CreateIndex,
    ModifyIndex,
  }
}

function showEntrySource(record: IntentionRecord, showNamespace: boolean): ConfigEntry['Sources'][number] {
  const { Action, Permissions, Description, LegacyID, LegacyMeta, LegacyCreateTime, LegacyUpdateTime } =
    record
  return {
    Name: record.SourceName,
    ...(Action === undefined ? {} : { Action }),
    ...(Permissions.length === 0 ? {} : { Permissions: [...Permissions] }),
    Precedence: precedenceOf(record),
    ...(LegacyID === undefined ? {} : { LegacyID }),
    Type: record.SourceType,
    ...(Description === '' ? {} : { Description }),
    ...(Object.keys(LegacyMeta).length === 0 ? {} : { LegacyMeta: { ...LegacyMeta } }),
    ...(LegacyCreateTime === undefined ? {} : { LegacyCreateTime }),
    ...(LegacyUpdateTime === undefined ? {} : { LegacyUpdateTime }),
    ...(showNamespace ? { Namespace: record.SourceNS } : {}),
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE'])

/** Permissions as stored: methods in upper case. @param field path of the permissions in the body. */
function checkPermissions(
  permissions: readonly IntentionPermission[],
  field: string,
): readonly IntentionPermission[] {
  return permissions.map((permission, i) => {
    const place = `${field}[${i}]`
    actionOf(permission.Action, `${place}.Action`)
    const { HTTP } = permission
    if (HTTP === undefined) throw invalid(`${place}.HTTP`, 'is required')
    const Methods = HTTP.Methods?.map((method) => method.toUpperCase())
    checkHttp(HTTP, `${place}.HTTP`)
    checkMethods(Methods ?? [], `${place}.HTTP.Methods`)
    return Methods === undefined ? permission : { ...permission, HTTP: { ...HTTP, Methods } }
  })
}

type Http = NonNullable<IntentionPermission['HTTP']>

function checkHttp(http: Http, field: string): void {
  const { PathExact, PathPrefix, PathRegex, Header = [], Methods = [] } = http
  const paths = [PathExact, PathPrefix, PathRegex].filter((path) => path !== undefined && path !== '')
  if (paths.length > 1)
    throw invalid(field, 'should only contain at most one of PathExact, PathPrefix, or PathRegex')
  if (paths.length === 0 && Header.length === 0 && Methods.length === 0)
    throw invalid(field, 'should not be empty')
  for (const [name, path] of [
    ['PathExact', PathExact],
    ['PathPrefix', PathPrefix],
  ] as const) {
    if (path && !path.startsWith('/'))
      throw invalid(`${field}.${name}`, `doesn't start with '/': ${JSON.stringify(path)}`)
  }
  for (const [i, header] of Header.entries()) checkHeader(header, `${field}.Header[${i}]`)
}

function checkHeader(header: NonNullable<Http['Header']>[number], field: string): void {
  if (!header.Name) throw invalid(field, 'missing required Name field')
  const { Present, Exact, Prefix, Suffix, Regex } = header
  if ([Present, Exact, Prefix, Suffix, Regex].filter(Boolean).length > 1) {
    throw invalid(field, 'should only contain one of Present, Exact, Prefix, Suffix, or Regex')
  }
}

function checkMethods(methods: readonly string[], field: string): void {
  const seen = new Set<string>()
  for (const method of methods) {
    if (!METHODS.has(method)) throw invalid(field, `contains an invalid method ${JSON.stringify(method)}`)
    if (seen.has(method)) throw invalid(field, `contains ${JSON.stringify(method)} more than once`)
    seen.add(method)
  }
}
