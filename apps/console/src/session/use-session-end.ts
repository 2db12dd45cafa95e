/** Follows the person's token: when it is deleted or expires, the person is signed out, or asked to sign in again. */
import { PermissionDenied } from '@latchkey/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { usePageVisible } from '../live/use-page-visible.ts'
import { endSession, useSession } from './session.ts'

export function useSessionEnd(): void {
  const session = useSession()
  const isVisible = usePageVisible()
  const queries = useQueryClient()
  const isFollowed = session.state === 'signedIn' && session.token !== undefined && !session.hasEnded
  const client = isFollowed ? session.client : undefined
  useEffect(() => {
    if (!client || !isVisible) return
    const stop = new AbortController()
    void follow(stop.signal)
    return () => stop.abort()

    async function follow(signal: AbortSignal): Promise<void> {
      try {
        if (!client) return
        for await (const _ of client.tokens.watchSelf({ signal })) {
          await queries.invalidateQueries({ queryKey: ['rights'] })
        }
      } catch (error) {
        if (!signal.aborted && error instanceof PermissionDenied) endSession()
      }
    }
  }, [client, isVisible, queries])
}
