/** Metadata and answers shared by several routes. */
import * as z from 'zod'

export const deletedSchema = z.boolean().meta({ description: 'true: the record was deleted.' })

/** A read of ACL records. */
export const aclRead = { right: 'acl:read', refusedInLegacyMode: true, namespaced: true } as const

/** A create or an update of an ACL record. */
export const aclWrite = {
  right: 'acl:write',
  body: 'json',
  refusedInLegacyMode: true,
  namespaced: true,
  namespaceInBody: true,
} as const

/** A delete of an ACL record. */
export const aclDelete = { right: 'acl:write', refusedInLegacyMode: true, namespaced: true } as const

/** A query about ACL records that requires the right to write them, but writes nothing. */
export const aclQuestion = {
  right: 'acl:write',
  body: 'json',
  writes: 'nothing',
  refusedInLegacyMode: true,
  namespaced: true,
} as const
