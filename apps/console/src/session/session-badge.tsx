import { useNavigate } from '@tanstack/react-router'
import * as icons from 'lucide-react'
import { useState } from 'react'
import { absoluteTime, relativeTo, timeOf, useNow } from '../live/instants.ts'
import { applyTheme, nextTheme, readTheme } from '../shell/theme.ts'
import { Menu } from '../ui/overlay/menu.tsx'
import { signOut, useSession } from './session.ts'
import { useRights } from './use-rights.ts'

/** From this time on, the end of the session is coloured as a warning. */
const SOON_MS = 600_000

export function SessionBadge() {
  const session = useSession()
  const rights = useRights()
  const now = useNow()
  const navigate = useNavigate()
  const [theme, setTheme] = useState(readTheme)
  const token = session.state === 'signedIn' ? session.token : undefined
  const name = token ? token.Description || token.AccessorID.slice(0, 8) : 'Anonymous'
  const limited = rights.aclRead ? 'Can read access control' : 'Limited rights'
  const summary = rights.aclWrite ? 'Can manage everything' : limited
  const Icon = rights.aclWrite ? icons.ShieldCheck : icons.UserRound
  return (
    <Menu
      align="start"
      label={token?.AccessorID ?? 'Not signed in'}
      actions={[
        ...(token
          ? [
              {
                label: 'My token',
                icon: icons.KeyRound,
                onSelect: () =>
                  void navigate({ to: '/tokens/$accessorId', params: { accessorId: token.AccessorID } }),
              },
            ]
          : []),
        {
          label: `Theme: ${theme}`,
          icon: icons.SunMoon,
          onSelect: () => {
            applyTheme(nextTheme(theme))
            setTheme(nextTheme(theme))
          },
        },
        {
          label: 'API documentation',
          icon: icons.BookOpen,
          onSelect: () => void window.open('/docs', '_blank', 'noopener'),
        },
        token
          ? { label: 'Sign out', icon: icons.LogOut, onSelect: () => signOut() }
          : { label: 'Sign in', icon: icons.LogIn, onSelect: () => signOut() },
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
            {summary}
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
        <icons.ChevronsUpDown aria-hidden size={14} />
      </button>
    </Menu>
  )
}
