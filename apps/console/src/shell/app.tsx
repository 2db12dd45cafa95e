/** Until somebody has signed in, only the small sign-in page; then all other pages. */
import { lazy, Suspense, useEffect } from 'react'
import { useSession } from '../session/session.ts'
import { SignInPage } from '../session/sign-in-page.tsx'
import { Skeleton } from '../ui/feedback/states.tsx'
import { LoadBoundary } from './load-boundary.tsx'

const load = () => import('./workspace.tsx')
const Workspace = lazy(load)

/** Loads the other pages while the server checks a secret; if that fails, the next attempt shows why. */
function loadEarly(): void {
  load().catch(() => {})
}

export function App() {
  const session = useSession()
  const isRestoring = session.state === 'restoring'
  useEffect(() => {
    if (isRestoring) loadEarly()
  }, [isRestoring])
  if (session.state !== 'signedIn') return <SignInPage session={session} onSubmit={loadEarly} />
  return (
    <LoadBoundary>
      <Suspense fallback={<Skeleton />}>
        <Workspace />
      </Suspense>
    </LoadBoundary>
  )
}
