/** The person's rights, so that pages offer nothing that would be refused. */
import { useQuery } from '@tanstack/react-query'
import { useClient } from './session.ts'

const CHECKS = [
  { Resource: 'acl', Access: 'read' },
  { Resource: 'acl', Access: 'write' },
  { Resource: 'operator', Access: 'read' },
  { Resource: 'operator', Access: 'write' },
] as const

export interface Rights {
  readonly aclRead: boolean
  readonly aclWrite: boolean
  readonly operatorRead: boolean
  readonly operatorWrite: boolean
}

const NONE: Rights = { aclRead: false, aclWrite: false, operatorRead: false, operatorWrite: false }

/** The rights, read once a minute; none until the answer arrives. */
export function useRights(): Rights {
  const client = useClient()
  const { data } = useQuery({
    queryKey: ['rights'],
    queryFn: async ({ signal }): Promise<Rights> => {
      const [aclRead, aclWrite, operatorRead, operatorWrite] = await client.authorize(CHECKS, { signal })
      return {
        aclRead: aclRead.Allow,
        aclWrite: aclWrite.Allow,
        operatorRead: operatorRead.Allow,
        operatorWrite: operatorWrite.Allow,
      }
    },
    refetchInterval: 60_000,
  })
  return data ?? NONE
}
