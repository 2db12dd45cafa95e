import type { Question } from '@latchkey/acl'

export function showRight({ resource, segment, access }: Question): {
  Resource: string
  Segment?: string
  Access: string
} {
  return { Resource: resource, ...(segment === undefined ? {} : { Segment: segment }), Access: access }
}
