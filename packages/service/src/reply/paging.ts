/**
 * Pages of a list: the extension `limit` and `cursor`. The cursor is a position in the list, so pages are stable under change.
 */
import { AclError, limits } from '@latchkey/contract'
import type { ListPosition } from '../store/store.ts'

export interface Page {
  readonly limit: number
  readonly after: ListPosition | undefined
}

/** Order of a list: by creation, or reversed. */
export type ListOrder = 'oldest-first' | 'newest-first'

export function orderOf({ sort }: { readonly sort?: 'CreateIndex' | '-CreateIndex' | undefined }): ListOrder {
  return sort === '-CreateIndex' ? 'newest-first' : 'oldest-first'
}

/**
 * The page that a query requests; `undefined` if it requests none.
 * @throws AclError `query_invalid`, also for a cursor from a list in the other order.
 */
export function pageOf(query: PageQuery, order: ListOrder = 'oldest-first'): Page | undefined {
  const { cursor, limit } = query
  if (limit === undefined && cursor === undefined) return undefined
  const after = cursor === undefined ? undefined : parseCursor(cursor, order)
  return { limit: limit ?? limits.PAGE_LIMIT_MAX, after }
}

type PageQuery = { readonly limit?: number | undefined; readonly cursor?: string | undefined }

/** A position as text, prefixed with `-` if the list is newest first. Opaque to clients. */
export function formatCursor(position: ListPosition, order: ListOrder = 'oldest-first'): string {
  const tie = position.tie === undefined ? '' : `.${position.tie}`
  return `${order === 'newest-first' ? '-' : ''}${position.createIndex}.${position.accessorId}${tie}`
}

function parseCursor(text: string, order: ListOrder): ListPosition {
  const [, mark, createIndex, accessorId = '', tie] = CURSOR.exec(text) ?? []
  if (createIndex === undefined)
    throw new AclError('query_invalid', 'cursor is not one that this service gave', { field: 'cursor' })
  const message = 'cursor is of a list in the other order: send the same sort with it'
  if ((mark === '-') !== (order === 'newest-first'))
    throw new AclError('query_invalid', message, { field: 'cursor' })
  return { createIndex: Number(createIndex), accessorId, ...(tie === undefined ? {} : { tie }) }
}

const CURSOR = /^(-?)(\d{1,16})\.([0-9a-fA-F-]{0,36})(?:\.((?:[0-9a-f]{2}){1,32}))?$/
