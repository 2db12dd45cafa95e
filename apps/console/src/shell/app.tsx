/** Until somebody has signed in, only the small sign-in page; then all other pages. */
import { Component, lazy, type ReactNode, Suspense, useEffect } from 'react'
import { useSession } from '../session/session.ts'
import { SignInPage } from '../session/sign-in-page.tsx'
import { Problem, Skeleton } from '../ui/feedback.tsx'

const load = () => import('../router.tsx')
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

/** Shows why the pages did not load, when there is no page yet that could. */
class LoadBoundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children
    return (
      <main className="gate">
        <div className="gate-box">
          <Problem error={this.state.error} onRetry={() => window.location.reload()} />
        </div>
      </main>
    )
  }
}
