import type { AuthMethodListEntry } from '@latchkey/sdk'
import { useNavigate } from '@tanstack/react-router'
import { LogIn } from 'lucide-react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Badge } from '../ui/controls.tsx'
import { type Column, TitleCell } from '../ui/table/data-table.tsx'
import { ListPage } from '../ui/table/list-page.tsx'
import { MethodDialog } from './method-dialog.tsx'

const COLUMNS: readonly Column<AuthMethodListEntry>[] = [
  {
    header: 'Method',
    track: 'minmax(0, 4fr)',
    cell: ({ Name, DisplayName, Description }) => (
      <TitleCell
        to="/login-methods/$name"
        params={{ name: Name }}
        preload={false}
        title={DisplayName || Name}
        sub={Description || Name}
      />
    ),
  },
  { header: 'Type', track: '8rem', cell: ({ Type }) => <Badge>{Type}</Badge> },
  {
    header: 'Token lifetime',
    track: '9rem',
    priority: 'low',
    cell: ({ MaxTokenTTL }) => <span className="small nums">{MaxTokenTTL ?? 'Never'}</span>,
  },
]

/** The identity providers whose credentials a login exchanges for a token. */
export function LoginMethodsPage() {
  const client = useClient()
  const rights = useRights()
  const navigate = useNavigate()
  const methods = useLive(['login-methods'], (options) => client.authMethods.watchList(options))
  return (
    <ListPage
      title="Login methods"
      lead="Identity providers whose credentials can be exchanged for a token."
      query={methods}
      columns={COLUMNS}
      keyOf={({ Name }) => Name}
      textsOf={({ Name, DisplayName = '', Description = '', Type }) => [Name, DisplayName, Description, Type]}
      empty={{
        icon: LogIn,
        title: 'No login methods',
        text: 'Create a login method so that people and programs can log in with their existing credentials.',
      }}
      narrowTracks="minmax(0, 1fr) 6rem"
      create={{ what: 'login method', may: rights.aclWrite }}
      dialog={(onClose) => (
        <MethodDialog
          onClose={onClose}
          onSaved={({ Name }) => void navigate({ to: '/login-methods/$name', params: { name: Name } })}
        />
      )}
    />
  )
}
