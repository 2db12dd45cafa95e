import type { Client } from '@latchkey/sdk'
import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { useConnection } from '../live/connection.ts'
import { createQueries } from '../live/queries.ts'
import { ClientContext } from './session.ts'

interface ClientScopeProps {
  readonly client: Client
  /** `undefined`: the token's namespace. */
  readonly namespace: string | undefined
  readonly children: ReactNode
}

/**
 * One person in one namespace: the client of the pages inside, and their cached reads. Mount it again for another. If the
 * person's token ended and another one replaces it, the new client reads everything again.
 */
export function ClientScope({ client, namespace, children }: ClientScopeProps) {
  const [queries] = useState(createQueries)
  const scoped = useMemo(
    () => (namespace === undefined ? client : client.withNamespace(namespace)),
    [client, namespace],
  )
  const { recoveries } = useConnection()
  const [before] = useState({ client, recoveries })
  useEffect(() => {
    if (recoveries > before.recoveries || client !== before.client)
      void queries.cancelQueries().then(() => queries.invalidateQueries())
  }, [queries, client, recoveries, before])
  return (
    <ClientContext value={scoped}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </ClientContext>
  )
}
