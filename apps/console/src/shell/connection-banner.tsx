import { CloudOff } from 'lucide-react'
import { useEffect } from 'react'
import { useConnection } from '../live/connection.ts'
import { useSession } from '../session/session.ts'

const AGAIN_MS = 2_000

/** Says that the server is away, and probes it until it is back. The page below keeps what was typed. */
export function ConnectionBanner() {
  const { trouble } = useConnection()
  const session = useSession()
  const isAway = trouble !== undefined
  const client = session.state === 'signedIn' ? session.client : undefined
  useEffect(() => {
    if (!isAway || !client) return
    // The outcome updates the connection state like any other call.
    const ask = () => void client.tokens.self({ retries: 0 }).catch(() => {})
    const timer = setInterval(ask, AGAIN_MS)
    window.addEventListener('online', ask)
    return () => {
      clearInterval(timer)
      window.removeEventListener('online', ask)
    }
  }, [isAway, client])
  return (
    <div role="status">
      {trouble && (
        <div className="banner">
          <CloudOff aria-hidden />
          <span>
            <strong>
              {trouble.status === undefined
                ? 'The server cannot be reached.'
                : `The server is not available (${trouble.status}).`}
            </strong>{' '}
            This page may be out of date. The console keeps trying to reconnect.
            {trouble.requestId !== undefined && (
              <>
                {' '}
                Request <code>{trouble.requestId}</code>
              </>
            )}
          </span>
        </div>
      )}
    </div>
  )
}
