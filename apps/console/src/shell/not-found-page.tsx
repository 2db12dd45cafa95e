import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { texts } from '../texts.ts'
import { Empty } from '../ui/feedback/states.tsx'
import { Page } from '../ui/page.tsx'

export function NotFoundPage() {
  return (
    <Page title={texts.shell.notFoundTitle} width="narrow">
      <Empty
        icon={Compass}
        actions={
          <Link to="/" className="button">
            {texts.shell.home}
          </Link>
        }
      >
        {texts.shell.notFound}
      </Empty>
    </Page>
  )
}
