/** The headers that put conditions on a write. Decisions: optimistic writes. */
import { AclError, type AnyRoute } from '@latchkey/contract'
import type { Context } from '../handler.ts'
import { notFound } from '../handler.ts'
import type { HeaderSource } from './headers.ts'

const ONE_INDEX = /^"(0|[1-9]\d{0,15})"$/

/**
 * The ModifyIndex of the header `If-Match`.
 * @throws AclError `header_invalid`, also for a write that does not take the header: it would be made in any state.
 */
export function ifMatchOf(
  request: HeaderSource,
  route: Pick<AnyRoute, 'writes' | 'takesIfMatch'>,
  params: Readonly<Record<string, string>>,
): number | undefined {
  const text = request.header('if-match')
  if (text === undefined || route.writes === undefined || route.writes === 'nothing') return undefined
  // Without an ID, an update creates a record.
  if (!route.takesIfMatch || Object.values(params).includes(''))
    throw headerInvalid(
      'If-Match',
      'only updates and deletes of tokens, policies, roles, auth methods and binding rules take it',
    )
  const [, index] = ONE_INDEX.exec(text.trim()) ?? []
  if (index === undefined)
    throw headerInvalid(
      'If-Match',
      'one ModifyIndex in quotes, such as "17", without W/, and neither a list nor *',
    )
  return Number(index)
}

export function headerInvalid(field: string, message: string): AclError {
  return new AclError('header_invalid', `Invalid header ${field}: ${message}`, { field })
}

/**
 * Checks the header `If-Match` of a write against the record that it replaces or deletes. The commit expects the same
 * index, so the record cannot change in between.
 * @throws AclError `precondition_failed`; `not_found` if there is no record.
 */
export function requireMatch(
  { ifMatch }: Pick<Context, 'ifMatch'>,
  existing: { readonly ModifyIndex: number } | undefined,
  subject = 'Requested record',
): void {
  if (ifMatch === undefined) return
  if (!existing) throw notFound(subject)
  const { ModifyIndex: index } = existing
  if (index === ifMatch) return
  const message = `If-Match: the record has ModifyIndex ${index}, not ${ifMatch}`
  throw new AclError('precondition_failed', message, { field: 'If-Match', index })
}
