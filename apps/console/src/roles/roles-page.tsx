import type { Role } from '@latchkey/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Plus, UsersRound } from 'lucide-react'
import { useMemo } from 'react'
import { LinkBadges } from '../links/link-badges.tsx'
import { useOnce } from '../live/use-kept.ts'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Button } from '../ui/controls.tsx'
import { Page } from '../ui/page.tsx'
import type { Column } from '../ui/table/data-table.tsx'
import type { ListSearch } from '../ui/table/list-search.ts'
import { RecordList } from '../ui/table/record-list.tsx'
import { RoleDialog } from './role-dialog.tsx'

const route = getRouteApi('/roles')

const COLUMNS: readonly Column<Role>[] = [
  {
    id: 'name',
    header: 'Name',
    track: 'minmax(0, 1fr)',
    cell: (role) => (
      <span className="cell-title">
        <Link to="/roles/$id" params={{ id: role.ID }} className="cell-link truncate">
          {role.Name}
        </Link>
        <span className="cell-sub truncate">{role.Description}</span>
      </span>
    ),
  },
  {
    id: 'links',
    header: 'Grants',
    track: 'minmax(0, 1fr)',
    priority: 'low',
    cell: (role) => <LinkBadges record={role} />,
  },
]

export function RolesPage() {
  const search = route.useSearch() as ListSearch
  const navigate = route.useNavigate()
  const client = useClient()
  const rights = useRights()
  const mayCreate = useOnce(rights.aclWrite)
  const roles = useLive(['roles'], (options) => client.roles.watchList({}, options))
  const go = (next: ListSearch) => void navigate({ search: next, replace: true })
  const sorted = useMemo(() => roles.data?.toSorted((a, b) => a.Name.localeCompare(b.Name)), [roles.data])
  return (
    <Page
      title="Roles"
      lead="Named bundles of policies and identities for tokens."
      actions={
        rights.aclWrite && (
          <Button look="primary" onClick={() => go({ ...search, create: true })}>
            <Plus aria-hidden />
            Create role
          </Button>
        )
      }
    >
      <RecordList
        label="Roles"
        records={sorted}
        error={roles.error}
        onRetry={roles.refetch}
        columns={COLUMNS}
        keyOf={({ ID }) => ID}
        textOf={({ Name, Description, Policies = [] }) =>
          [Name, Description, ...Policies.map((policy) => policy.Name)].join(' ')
        }
        q={search.q}
        onSearch={(q) => go(q === undefined ? {} : { q })}
        empty={{
          icon: UsersRound,
          title: 'No roles yet',
          text: 'A role gives the same rights to many tokens.',
        }}
        narrowTracks="minmax(0, 1fr)"
      />
      {search.create && mayCreate && <RoleDialog onClose={() => go(search.q ? { q: search.q } : {})} />}
    </Page>
  )
}
