import { CloudOff } from 'lucide-react'
import { useEffect } from 'react'
import { texts } from '../texts.ts'
import { Button } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { Empty } from '../ui/states.tsx'

/** How browsers word that a module did not arrive. */
const NOT_LOADED = /dynamically imported module|importing a module|module script/i

const reload = () => window.location.reload()

/** A page that failed to render, or to load: the server is away, or was updated and has a new one. */
export function RouteFailure({ error }: { readonly error: unknown }) {
  const isNotLoaded = error instanceof Error && NOT_LOADED.test(error.message)
  useEffect(() => {
    if (!isNotLoaded) return
    window.addEventListener('online', reload)
    return () => window.removeEventListener('online', reload)
  }, [isNotLoaded])
  return (
    <Page title={texts.shell.failedTitle} heading="" width="narrow">
      {isNotLoaded ? (
        <Empty
          icon={CloudOff}
          title={texts.shell.notLoadedTitle}
          actions={<Button onClick={reload}>{texts.shell.reload}</Button>}
        >
          {texts.shell.notLoaded}
        </Empty>
      ) : (
        <Problem error={error} onRetry={reload} />
      )}
    </Page>
  )
}
