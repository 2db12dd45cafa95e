import type { AuthMethodListEntry } from '@latchkey/sdk'
import { Link, useNavigate } from '@tanstack/react-router'
import { LogIn, Plus } from 'lucide-react'
import { useState } from 'react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Badge, Button } from '../ui/controls.tsx'
import { Empty, Problem, Skeleton } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import { type Column, DataTable } from '../ui/table/data-table.tsx'
import { MethodDialog } from './method-dialog.tsx'

const COLUMNS: readonly Column<AuthMethodListEntry>[] = [
  {
    id: 'name',
    header: 'Method',
    track: 'minmax(0, 4fr)',
    cell: ({ Name, DisplayName, Description }) => (
      <span className="cell-title">
        <Link
          to="/login-methods/$name"
          params={{ name: Name }}
          preload={false}
          className="cell-link truncate"
        >
          {DisplayName || Name}
        </Link>
        <span className="cell-sub truncate">{Description || Name}</span>
      </span>
    ),
  },
  {
    id: 'type',
    header: 'Type',
    track: '8rem',
    cell: ({ Type }) => <Badge>{Type}</Badge>,
  },
  {
    id: 'ttl',
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
  const [isCreating, setCreating] = useState(false)
  const methods = useLive(['login-methods'], (options) => client.authMethods.watchList(options))
  return (
    <Page
      title="Login methods"
      lead="Identity providers whose credentials can be exchanged for a token."
      actions={
        rights.aclWrite && (
          <Button look="primary" onClick={() => setCreating(true)}>
            <Plus aria-hidden />
            Create login method
          </Button>
        )
      }
    >
      {methods.error && <Problem error={methods.error} onRetry={methods.refetch} />}
      {!methods.error && (
        <section className="card" aria-label="Login methods">
          {methods.isPending && <Skeleton lines={5} />}
          {methods.data?.length === 0 && (
            <Empty icon={LogIn} title="No login methods">
              Create a login method so that people and programs can log in with their existing credentials.
            </Empty>
          )}
          {methods.data !== undefined && methods.data.length > 0 && (
            <DataTable
              label="Login methods"
              columns={COLUMNS}
              rows={methods.data}
              keyOf={({ Name }) => Name}
              narrowTracks="minmax(0, 1fr) 6rem"
            />
          )}
        </section>
      )}
      {isCreating && (
        <MethodDialog
          onClose={() => setCreating(false)}
          onSaved={({ Name }) => void navigate({ to: '/login-methods/$name', params: { name: Name } })}
        />
      )}
    </Page>
  )
}
