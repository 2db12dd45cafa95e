/** What may be asked of an authorizer. */
import { AclError, type CheckedAccess, shorten } from '@latchkey/contract'

/** Resources with a segment: a name or a path that the question is about. */
export const SEGMENT_RESOURCES = [
  'agent',
  'event',
  'intention',
  'key',
  'node',
  'query',
  'service',
  'session',
] as const
export type SegmentResource = (typeof SEGMENT_RESOURCES)[number]

export const SCALAR_RESOURCES = ['acl', 'keyring', 'mesh', 'operator', 'peering'] as const
type ScalarResource = (typeof SCALAR_RESOURCES)[number]

export type Resource = SegmentResource | ScalarResource

/** `list` and `write-prefix` exist for keys only. */
export type Access = CheckedAccess

/** May this be done? */
export interface Question {
  readonly resource: Resource
  /** Absent is the same as empty; scalars have none. */
  readonly segment?: string
  readonly access: Access
}

const RESOURCES: readonly string[] = [...SEGMENT_RESOURCES, ...SCALAR_RESOURCES]

/** What may be asked about a resource. */
export function accessesOf(resource: Resource): readonly Access[] {
  return resource === 'key' ? ['read', 'list', 'write', 'write-prefix'] : ['read', 'write']
}

/**
 * Reads one check of the wire. Resources are case-sensitive, accesses are not.
 *
 * @param field the check's place in the body, for the error: `[3]`.
 * @throws AclError `field_invalid` for an unknown resource or an access that the resource does not have.
 */
export function parseQuestion(
  check: { readonly Resource: string; readonly Segment?: string | undefined; readonly Access: string },
  field = '',
): Question {
  const path = (name: string): string => (field === '' ? name : `${field}.${name}`)
  if (!isResource(check.Resource)) {
    const message = `Invalid ACL resource requested: ${JSON.stringify(shorten(check.Resource))}; it must be one of ${RESOURCES.join(', ')}`
    throw new AclError('field_invalid', message, { field: path('Resource') })
  }
  const asked = check.Access.toLowerCase()
  const access = accessesOf(check.Resource).find((known) => known === asked)
  if (access === undefined) {
    const known = accessesOf(check.Resource).join(', ')
    const message = `Invalid access level for ${check.Resource} resource: ${shorten(check.Access)}; it must be one of ${known}`
    throw new AclError('field_invalid', message, { field: path('Access') })
  }
  return { resource: check.Resource, access, ...(check.Segment ? { segment: check.Segment } : {}) }
}

function isResource(text: string): text is Resource {
  return RESOURCES.includes(text)
}
