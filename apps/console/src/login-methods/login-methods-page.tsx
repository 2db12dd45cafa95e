import type { AuthMethodListEntry } from '@latchkey/sdk'
import { Link, useNavigate } from '@tanstack/react-router'
import { LogIn, Plus } from 'lucide-react'
import { useState } from 'react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { texts } from '../texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Problem } from '../ui/feedback/problem.tsx'
import { Empty, Skeleton } from '../ui/feedback/states.tsx'
import { Page } from '../ui/page.tsx'
import { type Column, DataTable } from '../ui/table/data-table.tsx'
import { MethodDialog } from './method-dialog.tsx'

const COLUMNS: readonly Column<AuthMethodListEntry>[] = [
  {
    id: 'name',
    header: texts.logins.method,
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
    header: texts.logins.type,
    track: '8rem',
    cell: ({ Type }) => <Badge>{Type}</Badge>,
  },
  {
    id: 'ttl',
    header: texts.logins.ttl,
    track: '9rem',
    priority: 'low',
    cell: ({ MaxTokenTTL }) => <span className="small nums">{MaxTokenTTL ?? texts.common.never}</span>,
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
      title={texts.logins.title}
      lead={texts.logins.lead}
      actions={
        rights.aclWrite && (
          <Button look="primary" onClick={() => setCreating(true)}>
            <Plus aria-hidden />
            {texts.logins.create}
          </Button>
        )
      }
    >
      {methods.error && <Problem error={methods.error} onRetry={methods.refetch} />}
      {!methods.error && (
        <section className="card" aria-label={texts.logins.title}>
          {methods.isPending && <Skeleton lines={5} />}
          {methods.data?.length === 0 && (
            <Empty icon={LogIn} title={texts.logins.emptyTitle}>
              {texts.logins.empty}
            </Empty>
          )}
          {methods.data !== undefined && methods.data.length > 0 && (
            <DataTable
              label={texts.logins.title}
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
