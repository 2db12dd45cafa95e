/** The person's rights, so that pages offer nothing that would be refused. */

import type { AuthorizeCheck, CallOptions, Client } from '@latchkey/sdk'
import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query'
import { useClient } from './session.ts'

/** Rights on everything of a kind. The empty segment asks for the right on all names. */
const CHECKS = {
  aclRead: { Resource: 'acl', Access: 'read' },
  aclWrite: { Resource: 'acl', Access: 'write' },
  operatorRead: { Resource: 'operator', Access: 'read' },
  operatorWrite: { Resource: 'operator', Access: 'write' },
  keyRead: { Resource: 'key', Segment: '', Access: 'read' },
  serviceRead: { Resource: 'service', Segment: '', Access: 'read' },
  nodeRead: { Resource: 'node', Segment: '', Access: 'read' },
  sessionRead: { Resource: 'session', Segment: '', Access: 'read' },
  intentionRead: { Resource: 'intention', Segment: '*', Access: 'read' },
} as const

export type RightName = keyof typeof CHECKS
export type Rights = Readonly<Record<RightName, boolean>>

const NAMES = Object.keys(CHECKS) as RightName[]
const rightsOf = (isAllowed: (index: number) => boolean): Rights =>
  Object.fromEntries(NAMES.map((name, index) => [name, isAllowed(index)])) as Rights
const NONE = rightsOf(() => false)

/** The rights, read once a minute; none until the answer arrives. */
export function useRights(): Rights {
  return useRightsQuery().data ?? NONE
}

function useRightsQuery(): UseQueryResult<Rights> {
  const client = useClient()
  return useQuery({
    queryKey: ['rights'],
    queryFn: async ({ signal }): Promise<Rights> => {
      const answers = await client.authorize(Object.values(CHECKS), { signal })
      return rightsOf((index) => answers[index]?.Allow === true)
    },
    refetchInterval: 60_000,
  })
}

/** The lists that the server filters: a token with a right on some names sees something in them. */
const LISTS: Partial<Record<RightName, (client: Client, options: CallOptions) => Promise<object>>> = {
  keyRead: (client, options) => client.kv.keys('', { ...options, separator: '/' }),
  serviceRead: (client, options) => client.health.uiServices(options),
  nodeRead: (client, options) => client.health.uiNodes(options),
  sessionRead: (client, options) => client.sessions.list(options),
  intentionRead: (client, options) => client.intentions.list({}, options),
}

/** Whether to offer a page that needs a right, on everything or on something that exists; `undefined` until it is known. */
export function useOffers(): (needs: RightName | undefined) => boolean | undefined {
  const client = useClient()
  const rights = useRightsQuery()
  const lists = useQueries({
    queries: NAMES.map((name) => ({
      queryKey: ['sees', name],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
        Object.keys((await LISTS[name]?.(client, { signal })) ?? {}).length > 0,
      enabled: rights.data?.[name] === false && name in LISTS,
      refetchInterval: 60_000,
    })),
  })
  return (needs) => {
    // If the rights cannot be read, a page itself says what is wrong.
    if (needs === undefined || rights.error) return true
    if (rights.data === undefined || rights.data[needs] || !(needs in LISTS)) return rights.data?.[needs]
    return lists[NAMES.indexOf(needs)]?.data
  }
}

/** The checks of one request, and the names that are checked at all: a long list offers a button by its beginning. */
const BATCH = 64
const SEGMENTS_MAX = 256

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
