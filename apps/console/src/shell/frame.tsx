/** Navigation and page for a signed-in person. */
import { Menu as MenuIcon } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { lazy, Suspense, useEffect, useState } from 'react'
import { ClientScope } from '../session/client-scope.tsx'
import { useNamespace } from '../session/namespace.ts'
import { useSession } from '../session/session.ts'
import { SignInAgain } from '../session/sign-in-again.tsx'
import { useSessionEnd } from '../session/use-session-end.ts'
import { IconButton } from '../ui/button.tsx'
import { Skeleton } from '../ui/feedback/states.tsx'
import { Toasts } from '../ui/feedback/toast.tsx'
import { useReturnFocus } from '../ui/overlay/return-focus.ts'
import { ConnectionBanner } from './connection-banner.tsx'
import { Gate } from './gate.tsx'
import { Brand, SideNav } from './side-nav.tsx'

const CommandPalette = lazy(() => import('./command-palette.tsx'))

/** The frame of every page, for one person in the namespace of the URL. */
export function Frame() {
  const session = useSession()
  const namespace = useNamespace()
  if (session.state !== 'signedIn') return null
  return (
    <ClientScope key={namespace ?? ''} client={session.client} namespace={namespace}>
      <Shell hasEnded={session.hasEnded === true} />
    </ClientScope>
  )
}

function Shell({ hasEnded }: { readonly hasEnded: boolean }) {
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const [isSheetOpen, setSheetOpen] = useState(false)
  useSessionEnd()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      // Not over a dialog: leaving its page would lose what was typed.
      setPaletteOpen((isOpen) => !isOpen && document.querySelector('.dialog') === null)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  const openPalette = () => {
    setSheetOpen(false)
    setPaletteOpen(true)
  }
  return (
    <div className="shell">
      <a className="button skip-link" href="#content">
        Skip to content
      </a>
      <SideNav onSearch={openPalette} />
      <header className="top">
        <IconButton label="Open navigation" onClick={() => setSheetOpen(true)}>
          <MenuIcon aria-hidden />
        </IconButton>
        <Brand />
      </header>
      <main className="main" id="content" tabIndex={-1}>
        <ConnectionBanner />
        <Suspense fallback={<Skeleton />}>
          <Gate />
        </Suspense>
      </main>
      {isSheetOpen && <NavigationSheet onSearch={openPalette} onClose={() => setSheetOpen(false)} />}
      {isPaletteOpen && (
        <Suspense fallback={null}>
          <CommandPalette onClose={() => setPaletteOpen(false)} />
        </Suspense>
      )}
      {hasEnded && <SignInAgain />}
      <Toasts />
    </div>
  )
}

interface NavigationSheetProps {
  readonly onSearch: () => void
  readonly onClose: () => void
}

/** The navigation as an overlay, on screens too narrow to show it beside the page. */
function NavigationSheet({ onSearch, onClose }: NavigationSheetProps) {
  const returnFocus = useReturnFocus()
  return (
    <Radix.Root open onOpenChange={onClose}>
      <Radix.Portal>
        <Radix.Overlay className="scrim" />
        <Radix.Content className="sheet" aria-describedby={undefined} onCloseAutoFocus={returnFocus}>
          <Radix.Title className="visually-hidden">Main</Radix.Title>
          <SideNav onSearch={onSearch} onNavigate={onClose} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
