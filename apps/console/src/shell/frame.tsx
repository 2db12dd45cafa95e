import { type Client, PermissionDenied } from '@latchkey/sdk'
import { QueryClientProvider, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CloudOff, Menu as MenuIcon, Search } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { useConnection } from '../live/connection.ts'
import { createQueries } from '../live/queries.ts'
import { usePageVisible } from '../live/use-live.ts'
import { useNavigation } from '../navigation.ts'
import { serverFacts } from '../server-facts.ts'
import { useNamespace } from '../session/namespace.ts'
import { ClientContext, endSession, useClient, useSession } from '../session/session.ts'
import { SessionBadge } from '../session/session-badge.tsx'
import { SignInAgain } from '../session/sign-in-again.tsx'
import { IconButton } from '../ui/controls.tsx'
import { Skeleton } from '../ui/feedback.tsx'
import { useReturnFocus } from '../ui/overlay/dialog.tsx'
import { Toasts } from '../ui/toast.tsx'
import { Gate } from './gate.tsx'
import { NamespaceSwitcher } from './namespace-switcher.tsx'

const CommandPalette = lazy(() => import('./command-palette.tsx'))

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
        <IconButton label="Open navigation" onClick={() => setSheetOpen(true)} icon={MenuIcon} />
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

/** The navigation as an overlay, on screens too narrow to show it beside the page. */
function NavigationSheet(props: { readonly onSearch: () => void; readonly onClose: () => void }) {
  const { onSearch, onClose } = props
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

interface ClientScopeProps {
  readonly client: Client
  /** `undefined`: the token's namespace. */
  readonly namespace: string | undefined
  readonly children: ReactNode
}

/** One person in one namespace, with cached reads. If another token replaces one that ended, all is read again. */
function ClientScope({ client, namespace, children }: ClientScopeProps) {
  const [queries] = useState(createQueries)
  const scoped = useMemo(
    () => (namespace === undefined ? client : client.withNamespace(namespace)),
    [client, namespace],
  )
  const { recoveries } = useConnection()
  const [before] = useState({ client, recoveries })
  useEffect(() => {
    if (recoveries > before.recoveries || client !== before.client)
      void queries.cancelQueries().then(() => queries.invalidateQueries())
  }, [queries, client, recoveries, before])
  return (
    <ClientContext value={scoped}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </ClientContext>
  )
}

/** Follows the person's token: when it is deleted or expires, the person is signed out, or asked to sign in again. */
function useSessionEnd(): void {
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

function Brand() {
  return (
    <Link to="/" className="brand">
      <img src="/ui/icon.svg" alt="" />
      Latchkey
      <span className="brand-place">{serverFacts.datacenter}</span>
    </Link>
  )
}

function SideNav(props: { readonly onSearch: () => void; readonly onNavigate?: () => void }) {
  const { onSearch, onNavigate } = props
  return (
    <nav className="side" aria-label="Main">
      <Brand />
      {serverFacts.edition === 'extended' && <NamespaceSwitcher {...(onNavigate ? { onNavigate } : {})} />}
      <button type="button" className="side-search" onClick={onSearch}>
        <Search aria-hidden />
        Jump to…
        <kbd>Ctrl K</kbd>
      </button>
      <div>
        {useNavigation().map(({ title, items }) => (
          <div key={title ?? ''} className="nav-group">
            {title !== undefined && <div className="nav-title">{title}</div>}
            {items.map(({ to, label, icon: Icon }) => (
              <Link
                key={to}
                to={to}
                className="nav-link"
                activeOptions={{ exact: to === '/', includeSearch: false }}
                {...(onNavigate ? { onClick: onNavigate } : {})}
              >
                <Icon aria-hidden />
                {label}
              </Link>
            ))}
          </div>
        ))}
      </div>
      <div className="side-foot">
        <SessionBadge />
      </div>
    </nav>
  )
}

const AGAIN_MS = 2_000

/** Says that the server is away, and probes it until it is back. The page below keeps what was typed. */
function ConnectionBanner() {
  const { trouble } = useConnection()
  const client = useClient()
  const isAway = trouble !== undefined
  useEffect(() => {
    if (!isAway) return
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
