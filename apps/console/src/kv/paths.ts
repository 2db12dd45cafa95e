/** Keys as a tree of folders: `/` separates them. */
import type { NamespaceSearch } from '../session/namespace.ts'
import { readSearch, type UrlSearch } from '../ui/table/list-search.ts'

export const SEPARATOR = '/'

export interface KvSearch {
  /** The open folder, with its trailing slash; absent: the root. */
  readonly in?: string
  readonly key?: string
  readonly create?: true
}

export const readKvSearch = (search: UrlSearch): KvSearch => readSearch(search, ['in', 'key'])

interface Address {
  readonly pathname: string
  readonly search: KvSearch & NamespaceSearch
}

/** Whether two addresses show the same key, so that text typed into its value is kept. */
export function isSameKey(from: Address, to: Address): boolean {
  return from.pathname === to.pathname && from.search.key === to.search.key && from.search.ns === to.search.ns
}

export function crumbsOf(prefix: string) {
  const names = prefix.split(SEPARATOR).slice(0, -1)
  return names.map((label, at) => ({
    label,
    prefix: names
      .slice(0, at + 1)
      .map((name) => name + SEPARATOR)
      .join(''),
  }))
}

export interface TreeRow {
  readonly path: string
  readonly name: string
  readonly isFolder: boolean
}

/** The rows of one level: folders, then keys, each sorted by name. A key that equals the folder has its own row. */
export function rowsOf(keys: readonly string[], prefix: string): readonly TreeRow[] {
  const rows = keys.map((path) => {
    const isFolder = path.endsWith(SEPARATOR) && path !== prefix
    const name = path.slice(prefix.length)
    return { path, name: name === '' ? SEPARATOR : name, isFolder }
  })
  return rows.sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || (a.path < b.path ? -1 : 1))
}

/** A name as shown on a page: in quotes if it begins or ends with whitespace, which would be invisible. */
export function shownName(name: string): string {
  return name.trim() === name ? name : `“${name}”`
}

/** Whether a key has a step `.` or `..`, which no URL can contain. */
export function hasDotStep(key: string): boolean {
  return key.split(SEPARATOR).some((step) => step === '.' || step === '..')
}
