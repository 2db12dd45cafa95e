/** Pages of a list: an extension, `limit` and `cursor`. The cursor is a place in the list, so pages are stable under change. */
import { AclError, limits } from '@latchkey/contract'
import type { ListPosition } from '../store/store.ts'
import type { Query } from './query.ts'

export interface Page {
  readonly limit: number
  readonly after: ListPosition | undefined
}

/**
 * The page that a query asks for; `undefined` where it asks for none.
 *
 * @throws AclError `query_invalid`.
 */
export function pageOf(query: Query): Page | undefined {
  const cursor = query.get('cursor')
  if (!query.has('limit') && cursor === undefined) return undefined
  return { limit: limitOf(query), after: cursor === undefined ? undefined : parseCursor(cursor) }
}

/** A place as text. Opaque to clients. */
export function formatCursor(position: ListPosition): string {
  return `${position.createIndex}.${position.accessorId}`
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

function parseCursor(text: string): ListPosition {
  const match = /^(\d{1,16})\.([0-9a-fA-F-]{0,36})$/.exec(text)
  if (!match) {
    throw new AclError('query_invalid', 'cursor is not one that this service gave', { field: 'cursor' })
  }
  return { createIndex: Number(match[1]), accessorId: match[2] ?? '' }
}
