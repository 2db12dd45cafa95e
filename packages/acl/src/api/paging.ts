/** Pages of a list: an extension, `limit` and `cursor`. The cursor is a place in the list, so pages are stable under change. */
import { AclError, limits } from '@latchkey/contract'
import type { ListPosition } from '../store/store.ts'
import type { Query } from './query.ts'

export interface Page {
  readonly limit: number
  readonly after: ListPosition | undefined
}

/** Order of a list: that of creation, or its reverse. */
export type ListOrder = 'oldest-first' | 'newest-first'

/**
 * The order that a query asks for with `sort`: an extension.
 *
 * @throws AclError `query_invalid`.
 */
export function orderOf(query: Query): ListOrder {
  const sort = query.get('sort') ?? 'CreateIndex'
  if (sort === 'CreateIndex') return 'oldest-first'
  if (sort === '-CreateIndex') return 'newest-first'
  throw new AclError('query_invalid', 'sort must be CreateIndex or -CreateIndex', { field: 'sort' })
}

/**
 * The page that a query asks for; `undefined` where it asks for none.
 *
 * @throws AclError `query_invalid`, also for a cursor of a list in another order.
 */
export function pageOf(query: Query, order: ListOrder = 'oldest-first'): Page | undefined {
  const cursor = query.get('cursor')
  if (!query.has('limit') && cursor === undefined) return undefined
  return { limit: limitOf(query), after: cursor === undefined ? undefined : parseCursor(cursor, order) }
}

/** A place as text, marked with `-` where the list is newest first. Opaque to clients. */
export function formatCursor(position: ListPosition, order: ListOrder = 'oldest-first'): string {
  const tie = position.tie === undefined ? '' : `.${position.tie}`
  return `${order === 'newest-first' ? '-' : ''}${position.createIndex}.${position.accessorId}${tie}`
}

function limitOf(query: Query): number {
  const text = query.get('limit')
  if (text === undefined && !query.has('limit')) return limits.PAGE_LIMIT_MAX
  const limit = /^\d{1,9}$/.test(text ?? '') ? Number(text) : 0
  if (limit < 1 || limit > limits.PAGE_LIMIT_MAX) {
    throw new AclError('query_invalid', `limit must be a whole number from 1 to ${limits.PAGE_LIMIT_MAX}`, {
      field: 'limit',
    })
  }
  return limit
}

function parseCursor(text: string, order: ListOrder): ListPosition {
  const [, mark, createIndex, accessorId = '', tie] = CURSOR.exec(text) ?? []
  if (createIndex === undefined) {
    throw new AclError('query_invalid', 'cursor is not one that this service gave', { field: 'cursor' })
  }
  if ((mark === '-') !== (order === 'newest-first')) {
    throw new AclError(
      'query_invalid',
      'cursor is of a list in the other order: send the same sort with it',
      {
        field: 'cursor',
      },
    )
  }
  return { createIndex: Number(createIndex), accessorId, ...(tie === undefined ? {} : { tie }) }
}

const CURSOR = /^(-?)(\d{1,16})\.([0-9a-fA-F-]{0,36})(?:\.((?:[0-9a-f]{2}){1,32}))?$/
