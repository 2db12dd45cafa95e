import { useQuery } from '@tanstack/react-query'
import { useClient } from '../session/session.ts'

/** Whether the person may write a key, or everything below a prefix; true until the answer arrives. */
export function useMayWrite(segment: string, access: 'write' | 'write-prefix' = 'write'): boolean {
  const client = useClient()
  const { data } = useQuery({
    queryKey: ['may-write', access, segment],
    queryFn: async ({ signal }) => {
      const [answer] = await client.authorize(
        [{ Resource: 'key', Segment: segment, Access: access }] as const,
        { signal },
      )
      return answer.Allow
    },
  })
  return data ?? true
}
