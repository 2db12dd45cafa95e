/** The canonical content of records in a folder: without ids, indexes and secrets, and with links by name. */
import { parseDurationMs } from '@latchkey/contract'
import type { Fields } from '../records/find.ts'
import { CONFIG_SECRETS, FOLDER_KINDS, type KindName } from './kinds.ts'

/** The non-empty managed fields of a record. */
export function contentOf(kind: KindName, record: Fields): Fields {
  const fields = FOLDER_KINDS[kind].fields.map((name) => [name, simplified(name, record[name])] as const)
  return Object.fromEntries(fields.filter(([, value]) => !isEmpty(value)))
}

function simplified(name: string, value: unknown): unknown {
  if (name === 'Config' && isObject(value)) {
    return Object.fromEntries(Object.entries(value).filter(([field]) => !CONFIG_SECRETS.includes(field)))
  }
  if (name === 'ACLs' && isObject(value)) {
    const links = Object.entries(value).map(([field, list]) => [field, simplified('Policies', list)] as const)
    return Object.fromEntries(links.filter(([, list]) => !isEmpty(list)))
  }
  // A stored link has ID and name; folders contain only names.
  if ((name === 'Policies' || name === 'Roles') && Array.isArray(value)) {
    return value.map((link: { readonly Name?: string }) => ({ Name: link.Name }))
  }
  return value
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (isObject(value)) return Object.keys(value).length === 0
  return value === undefined || value === null || value === '' || value === false
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The fields whose values differ. The order of lists of records and of object keys is ignored. */
export function differingFields(kind: KindName, one: Fields, other: Fields): string[] {
  const { fields, durations = [] } = FOLDER_KINDS[kind]
  return fields.filter((name) => {
    const text = (value: unknown) => canonical(durations.includes(name) ? durationMs(value) : value)
    return text(one[name]) !== text(other[name])
  })
}

function durationMs(value: unknown): unknown {
  try {
    return typeof value === 'string' ? parseDurationMs(value) : value
  } catch {
    return value
  }
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join()}]`
  if (!isObject(value)) return JSON.stringify(value) ?? ''
  const fields = Object.keys(value).filter((name) => value[name] !== undefined)
  return `{${fields.sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)}}`
}
