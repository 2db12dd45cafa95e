/** Questions for an authorizer. */
import {
  AclError,
  type CheckedAccess,
  type CheckedResource,
  RESOURCE_KINDS,
  SCALAR_RESOURCES,
  SEGMENT_RESOURCES,
  shorten,
} from '@latchkey/contract'

export type Resource = CheckedResource
export type Access = CheckedAccess

export interface Question {
  readonly resource: Resource
  readonly segment?: string
  readonly access: Access
}

export const RESOURCES: readonly Resource[] = [...SEGMENT_RESOURCES, ...SCALAR_RESOURCES]

export function accessesOf(resource: Resource): readonly Access[] {
  return RESOURCE_KINDS[resource].accesses
}

/** Resources and their accesses, by name, for fast parsing: a call may contain 64 questions. */
const QUESTIONS: ReadonlyMap<string, { readonly resource: Resource; readonly accesses: AccessesByName }> =
  new Map(
    RESOURCES.map((resource) => {
      const accesses = new Map(accessesOf(resource).map((access) => [access as string, access]))
      return [resource, { resource, accesses }]
    }),
  )

type AccessesByName = ReadonlyMap<string, Access>

/**
 * Parses one check of a request. Resources are case-sensitive, accesses are not.
 * @param position the check's position in the body, for the error.
 */
export function parseQuestion(
  check: { readonly Resource: string; readonly Segment?: string | undefined; readonly Access: string },
  position?: number,
): Question {
  const known = QUESTIONS.get(check.Resource)
  if (known === undefined) {
    const message = `Invalid ACL resource requested: ${JSON.stringify(shorten(check.Resource))}; it must be one of ${RESOURCES.join(', ')}`
    throw new AclError('field_invalid', message, { field: fieldOf('Resource', position) })
  }
  const { resource, accesses } = known
  const access = accesses.get(check.Access) ?? accesses.get(check.Access.toLowerCase())
  if (access === undefined) {
    const message = `Invalid access level for ${resource} resource: ${shorten(check.Access)}; it must be one of ${[...accesses.keys()].join(', ')}`
    throw new AclError('field_invalid', message, { field: fieldOf('Access', position) })
  }
  return check.Segment ? { resource, segment: check.Segment, access } : { resource, access }
}

function fieldOf(name: string, position: number | undefined): string {
  return position === undefined ? name : `[${position}].${name}`
}
