/** The canonical content of records in a folder: without ids, indexes and secrets, and with links by name. */
import { parseDurationMs } from '@latchkey/contract'

export type Content = Readonly<Record<string, unknown>>

interface Shape {
  /** Fields that a folder manages, in the order of exports. */
  readonly fields: readonly string[]
  /** Durations, which have several spellings. */
  readonly durations?: readonly string[]
}

/** Secrets in the configuration of auth methods. Folders do not contain them, and an apply preserves them. */
export const CONFIG_SECRETS = ['OIDCClientSecret', 'ServiceAccountJWT'] as const

/** The non-empty managed fields of a record. */
export function contentOf(record: object, { fields }: Shape): Content {
  return Object.fromEntries(
    fields.flatMap((name) => {
      const value = simplified(name, Reflect.get(record, name))
      return isEmpty(value) ? [] : [[name, value]]
    }),
  )
}

function simplified(name: string, value: unknown): unknown {
  if (name === 'Config' && isObject(value)) {
    const withheld: readonly string[] = CONFIG_SECRETS
    return Object.fromEntries(Object.entries(value).filter(([field]) => !withheld.includes(field)))
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
  if (value === undefined || value === null || value === '' || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The fields whose values differ. The order of lists of records and of object keys is ignored. */
export function differingFields(one: Content, other: Content, { fields, durations = [] }: Shape): string[] {
  return fields.filter((name) => {
    const text = (value: unknown) => canonical(durations.includes(name) ? durationMs(value) : value)
    return text(one[name]) !== text(other[name])
  })
}

function durationMs(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return parseDurationMs(value)
  } catch {
    return value
  }
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join()}]`
  if (!isObject(value)) return JSON.stringify(value) ?? ''
  const entries = Object.entries(value).filter(([, field]) => field !== undefined)
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`)
    .join()}}`
}
