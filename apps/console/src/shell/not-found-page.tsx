import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { Empty } from '../ui/feedback/states.tsx'
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
