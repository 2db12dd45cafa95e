import { Invalid } from './errors.ts'
import type { MatchOptions } from './options.ts'

/**
 * Updates or deletes a record only if it still has the ModifyIndex with which you read it. A secondary datacenter, whose
 * indexes differ from those of its primary, cannot compare them: there the write has no condition.
 *
 * @param write makes the write with the options that it gets.
 * @throws Conflict with code `precondition_failed`; as `write`.
 *
 * @example
 * const role = await client.roles.readByName('web')
 * await writeOver(role, (match) => client.roles.update(role.ID, { ...role, Description: 'web servers' }, match))
 */
export async function writeOver<T>(
  { ModifyIndex }: { readonly ModifyIndex: number },
  write: (match: Pick<MatchOptions, 'ifMatch'>) => Promise<T>,
): Promise<T> {
  try {
    return await write({ ifMatch: ModifyIndex })
  } catch (error) {
    if (!(error instanceof Invalid) || error.field !== 'If-Match') throw error
    return await write({})
  }
}
