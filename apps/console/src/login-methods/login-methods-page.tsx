import type { AuthMethodListEntry } from '@latchkey/sdk'
import { useNavigate } from '@tanstack/react-router'
import { LogIn } from 'lucide-react'
import { Badge } from '../ui/controls.tsx'
import { type Column, TitleCell } from '../ui/table/data-table.tsx'
import { ListPage } from '../ui/table/list-page.tsx'
import { MethodDialog } from './method-dialog.tsx'

const COLUMNS: readonly Column<AuthMethodListEntry>[] = [
  [
    'Method',
    'minmax(0, 4fr)',
    ({ Name, DisplayName, Description }) => (
      <TitleCell
        to="/login-methods/$name"
        params={{ name: Name }}
        title={DisplayName || Name}
        sub={Description || Name}
      />
    ),
  ],
  ['Type', '8rem', ({ Type }) => <Badge>{Type}</Badge>],
  [
    'Token lifetime',
    '9rem',
    ({ MaxTokenTTL }) => <span className="small nums">{MaxTokenTTL ?? 'Never'}</span>,
    { priority: 'low' },
  ],
]

export function LoginMethodsPage() {
  const navigate = useNavigate()
  return (
    <ListPage
      title="Login methods"
      lead="Identity providers whose credentials can be exchanged for a token."
      queryKey={['login-methods']}
      watch={(client, options) => client.authMethods.watchList(options)}
      columns={COLUMNS}
      keyOf={({ Name }) => Name}
      textsOf={({ Name, DisplayName = '', Description = '', Type }) => [Name, DisplayName, Description, Type]}
      empty={{
        icon: LogIn,
        title: 'No login methods',
        text: 'Create a login method so that people and programs can log in with their existing credentials.',
      }}
      narrowTracks="minmax(0, 1fr) 6rem"
      create={{ what: 'login method', needs: 'aclWrite' }}
      dialog={(onClose) => (
        <MethodDialog
          onClose={onClose}
          onSaved={({ Name }) => void navigate({ to: '/login-methods/$name', params: { name: Name } })}
        />
      )}
    />
  )
}
