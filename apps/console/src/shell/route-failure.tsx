import { useEffect } from 'react'
import { isNotLoaded } from '../ui/feedback/message-of.ts'
import { Problem } from '../ui/feedback/problem.tsx'
import { Page } from '../ui/page.tsx'

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
