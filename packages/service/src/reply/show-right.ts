import type { Question } from '@latchkey/acl'

/** A right as answers show it. */
export function showRight({ resource, segment, access }: Question): {
  Resource: string
  Segment?: string
  Access: string
} {
  return { Resource: resource, ...(segment === undefined ? {} : { Segment: segment }), Access: access }
}
