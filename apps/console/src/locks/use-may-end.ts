import { useQuery } from '@tanstack/react-query'
import { useClient } from '../session/session.ts'

/** Whether the person may end sessions of a node; true until the answer arrives. */
export function useMayEnd(node: string): boolean {
  const client = useClient()
  const { data } = useQuery({
    queryKey: ['may-end', node],
    queryFn: async ({ signal }) => {
      const [answer] = await client.authorize(
        [{ Resource: 'session', Segment: node, Access: 'write' }] as const,
        { signal },
      )
      return answer.Allow
    },
  })
  return data ?? true
}
