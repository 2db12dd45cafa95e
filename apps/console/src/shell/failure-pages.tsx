import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { useEffect } from 'react'
import { Empty, Problem } from '../ui/feedback.tsx'
import { isNotLoaded } from '../ui/message-of.ts'
import { Page } from '../ui/page.tsx'

export function NotFoundPage() {
  return (
    <Page title="Page not found" width="narrow">
      <Empty
        icon={Compass}
        actions={
          <Link to="/" className="button">
            Go to overview
          </Link>
        }
      >
        The address may be mistyped, or the page may have moved.
      </Empty>
    </Page>
  )
}

const reload = () => window.location.reload()

/** A page that failed to render or to load: the server is away, or was updated and has a new version of the page. */
export function RouteFailure({ error }: { readonly error: unknown }) {
  const isWaiting = isNotLoaded(error)
  useEffect(() => {
    if (!isWaiting) return
    window.addEventListener('online', reload)
    return () => window.removeEventListener('online', reload)
  }, [isWaiting])
  return (
    <Page title="This page failed" heading="" width="narrow">
      <Problem error={error} onRetry={reload} />
    </Page>
  )
}
