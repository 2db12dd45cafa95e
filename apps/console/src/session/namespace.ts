/** The namespace that a page shows. It is in the URL, so that a page can be shared (extended edition). */
import { useSearch } from '@tanstack/react-router'
import { serverFacts } from '../server-facts.ts'

export interface NamespaceSearch {
  readonly ns?: string
}

/** The standard edition has no namespaces, and drops the option. */
export function readNamespaceSearch({ ns }: Readonly<Record<string, unknown>>): NamespaceSearch {
  const isName = (typeof ns === 'string' && ns !== '') || typeof ns === 'number'
  return isName && serverFacts.edition === 'extended' ? { ns: String(ns) } : {}
}

/** The namespace in the URL; `undefined`: the token's. */
export function useNamespace(): string | undefined {
  return useSearch({ strict: false, select: (search: NamespaceSearch) => search.ns })
}
