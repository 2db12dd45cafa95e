import type { AuthorizeCheck } from '@latchkey/sdk'
import { useQuery } from '@tanstack/react-query'
import { useClient } from './session.ts'

/** The checks of one request, and the names that are checked at all: a long list offers a button by its beginning. */
const BATCH = 64
const SEGMENTS_MAX = 256

/** The names on which the person has a right; `undefined` until the answer arrives. */
export function useAllowed(
  Resource: AuthorizeCheck['Resource'],
  Access: AuthorizeCheck['Access'],
  segments: readonly string[],
): ReadonlySet<string> | undefined {
  const client = useClient()
  const names = [...new Set(segments)].slice(0, SEGMENTS_MAX)
  const { data } = useQuery({
    queryKey: ['may', Resource, Access, names],
    queryFn: async ({ signal }) => {
      const checks = names.map((Segment) => ({ Resource, Access, Segment }))
      const batches = Array.from({ length: Math.ceil(names.length / BATCH) }, (_, i) =>
        client.authorize(checks.slice(i * BATCH, (i + 1) * BATCH), { signal }),
      )
      const answers = (await Promise.all(batches)).flat()
      return names.filter((_, i) => answers[i]?.Allow)
    },
    placeholderData: (before) => before,
  })
  return data && new Set(data)
}

/** Whether the person has a right on one name; true until the answer arrives. */
export function useMay(
  resource: AuthorizeCheck['Resource'],
  access: AuthorizeCheck['Access'],
  segment: string,
): boolean {
  return useAllowed(resource, access, [segment])?.has(segment) ?? true
}
