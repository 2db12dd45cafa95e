import { useNavigate } from '@tanstack/react-router'
import {
  BookOpen,
  ChevronsUpDown,
  KeyRound,
  LogIn,
  LogOut,
  ShieldCheck,
  SunMoon,
  UserRound,
} from 'lucide-react'
import { useState } from 'react'
import { absoluteTime, relativeTo, timeOf, useNow } from '../live/instants.ts'
import { applyTheme, nextTheme, readTheme } from '../shell/theme.ts'
import { Menu } from '../ui/overlay/menu.tsx'
import { signOut, useSession } from './session.ts'
import { type Rights, useRights } from './use-rights.ts'

/** From this time on, the end of the session is coloured as a warning. */
const SOON_MS = 600_000

/** Who is signed in, with which rights, until when. */
export function SessionBadge() {
  const session = useSession()
  const rights = useRights()
  const now = useNow()
  const navigate = useNavigate()
  const [theme, setTheme] = useState(readTheme)
  const token = session.state === 'signedIn' ? session.token : undefined
  const name = token ? token.Description || token.AccessorID.slice(0, 8) : 'Anonymous'
  const Icon = rights.aclWrite ? ShieldCheck : UserRound
  return (
    <Menu
      align="start"
      label={token?.AccessorID ?? 'Not signed in'}
      actions={[
        ...(token
          ? [
              {
                label: 'My token',
                icon: KeyRound,
                onSelect: () =>
                  void navigate({ to: '/tokens/$accessorId', params: { accessorId: token.AccessorID } }),
              },
            ]
          : []),
        {
          label: `Theme: ${theme}`,
          icon: SunMoon,
          onSelect: () => {
            applyTheme(nextTheme(theme))
            setTheme(nextTheme(theme))
          },
        },
        {
          label: 'API documentation',
          icon: BookOpen,
          onSelect: () => void window.open('/docs', '_blank', 'noopener'),
        },
        token
          ? { label: 'Sign out', icon: LogOut, onSelect: () => signOut() }
          : { label: 'Sign in', icon: LogIn, onSelect: () => signOut() },
      ]}
    >
      <button type="button" className="who">
        <span className="who-mark">
          <Icon aria-hidden size={16} />
        </span>
        <span className="truncate">
          <span className="who-name truncate" style={{ display: 'block' }}>
            {name}
          </span>
          <span className="who-sub truncate" style={{ display: 'block' }}>
            {summaryOf(rights)}
          </span>
          {token?.ExpirationTime !== undefined && (
            <span
              className="who-sub truncate nums"
              style={{ display: 'block' }}
              data-soon={Date.parse(token.ExpirationTime) - now < SOON_MS}
              title={absoluteTime(token.ExpirationTime)}
            >
              {`Until ${timeOf(token.ExpirationTime)}, ${relativeTo(token.ExpirationTime, now, { isShort: true })}`}
            </span>
          )}
        </span>
        <ChevronsUpDown aria-hidden size={14} />
      </button>
    </Menu>
  )
}

function summaryOf(rights: Rights): string {
  if (rights.aclWrite) return 'Can manage everything'
  return rights.aclRead ? 'Can read access control' : 'Limited rights'
}
