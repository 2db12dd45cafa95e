import { AclError, formatInstant, limits } from '@latchkey/contract'
import { type Answer, type Call, json } from '../handler.ts'
import { requireAuthMethod } from './auth-methods.ts'

/** Counts the live tokens of an auth method by identity. An extension. */
export function loginsHandler(call: Call<'authMethods.logins'>): Promise<Answer<'authMethods.logins'>> {
  const { query, service, directory } = call
  const { Generation: generation } = requireAuthMethod(call, directory, call.params.Name)
  const { limit = limits.PAGE_LIMIT_MAX } = query
  const after = query.cursor === undefined ? undefined : parseCursor(query.cursor)
  const asked = { generation, now: call.now, limit, ...(after === undefined ? {} : { after }) }
  return call.walks.run(async () => {
    const groups = await service.store.logins(asked)
    const last = groups.at(-1)
    const logins = groups.map(({ identity, count, oldestCreateTime, lastUse }) => ({
      Identity: identity,
      LiveTokens: count,
      OldestCreateTime: oldestCreateTime,
      ...(lastUse === undefined ? {} : { LastUse: formatInstant(Math.min(lastUse, call.now)) }),
    }))
    const nextCursor = groups.length === limit && last ? formatCursor(last.identity) : undefined
    return { ...json(logins), nextCursor }
  }, call)
}

/** Returns a cursor that is opaque to clients and fits into a header. It is never empty, although an identity may be. */
function formatCursor(identity: string): string {
  return `.${encodeURIComponent(identity)}`
}

/** @throws AclError `query_invalid`. */
function parseCursor(text: string): string {
  try {
    if (text.startsWith('.')) return decodeURIComponent(text.slice(1))
  } catch (error) {
    if (!(error instanceof URIError)) throw error
  }
  throw new AclError('query_invalid', 'cursor is not one that this service gave', { field: 'cursor' })
}
