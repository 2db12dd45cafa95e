import { Outlet, useLocation } from '@tanstack/react-router'
import { LockKeyhole } from 'lucide-react'
import { useOnce } from '../live/use-live.ts'
import { NAVIGATION } from '../navigation.ts'
import { type KnownToken, signOut, useSession } from '../session/session.ts'
import { type RightName, useOffers } from '../session/use-rights.ts'
import { TokenLink } from '../tokens/token-cell.tsx'
import { Button } from '../ui/controls.tsx'
import { Empty } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'

/** The rights without which a page shows nothing. Lists of names only become empty. */
const RIGHTS: Partial<Record<RightName, string>> = { aclRead: 'acl:read', operatorRead: 'operator:read' }

/** The page of the address, or what the person's token lacks for it. */
export function Gate() {
  const { pathname } = useLocation()
  const session = useSession()
  const token = session.state === 'signedIn' ? session.token : undefined
  const { label, needs } = isOpenToAll(pathname, token?.AccessorID) ? OPEN : pageOf(pathname)
  return <Guarded key={`${label} ${needs}`} {...{ label, needs, token }} />
}

interface GuardedProps {
  readonly label: string
  readonly needs: RightName | undefined
  readonly token: KnownToken | undefined
}

function Guarded({ label, needs, token }: GuardedProps) {
  const offers = useOffers()
  const right = needs && RIGHTS[needs]
  // Somebody who loses a right keeps the page, whose form may be open.
  const wasOffered = useOnce(offers(needs) === true)
  if (right === undefined || wasOffered || offers(needs) !== false) return <Outlet />
  return (
    <Page title={label} width="narrow">
      <Empty
        icon={LockKeyhole}
        title="Not allowed"
        actions={
          <>
            {token && (
              <TokenLink id={token.AccessorID} className="button">
                My token
              </TokenLink>
            )}
            <Button onClick={() => signOut()}>{token ? 'Sign in with another token' : 'Sign in'}</Button>
          </>
        }
      >
        This page needs {right}, which your token does not have.
      </Empty>
    </Page>
  )
}

const OPEN = { label: '', needs: undefined }

function pageOf(pathname: string): { readonly label: string; readonly needs: RightName | undefined } {
  if (pathname === '/ask/who') return { label: 'Who may?', needs: 'aclRead' }
  const item = NAVIGATION.flatMap(({ items }) => items).find(
    ({ to }) => pathname === to || pathname.startsWith(`${to}/`),
  )
  return item === undefined ? OPEN : { label: item.label, needs: item.needs }
}

/** The person's own token, and the plan from a file, which is read in the browser. */
function isOpenToAll(pathname: string, accessorId: string | undefined): boolean {
  return pathname === '/upgrade/plan' || (accessorId !== undefined && pathname === `/tokens/${accessorId}`)
}
