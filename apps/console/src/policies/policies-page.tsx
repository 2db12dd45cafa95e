import type { PolicyListEntry } from '@latchkey/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { FileText, Plus } from 'lucide-react'
import { useMemo } from 'react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Badge } from '../ui/controls.tsx'
import { Page } from '../ui/page.tsx'
import type { Column } from '../ui/table/data-table.tsx'
import type { ListSearch } from '../ui/table/list-search.ts'
import { RecordList } from '../ui/table/record-list.tsx'

const route = getRouteApi('/policies')

const COLUMNS: readonly Column<PolicyListEntry>[] = [
  {
    id: 'name',
    header: 'Name',
    track: 'minmax(0, 2fr)',
    cell: (policy) => (
      <span className="cell-title">
        <Link to="/policies/$id" params={{ id: policy.ID }} className="cell-link truncate">
          {policy.Name}
        </Link>
        <span className="cell-sub truncate">{policy.Description}</span>
      </span>
    ),
  },
  {
    id: 'datacenters',
    header: 'Applies in',
    track: 'minmax(0, 1fr)',
    priority: 'low',
    cell: ({ Datacenters }) =>
      Datacenters?.length ? (
        <span className="links">
          {Datacenters.map((name) => (
            <Badge key={name}>{name}</Badge>
          ))}
        </span>
      ) : (
        <span className="small muted">every datacenter</span>
      ),
  },
  {
    id: 'changed',
    header: 'Changed at',
    track: '6rem',
    priority: 'low',
    cell: ({ ModifyIndex }) => <span className="small muted nums">{ModifyIndex}</span>,
  },
]

export function PoliciesPage() {
  const { q } = route.useSearch() as ListSearch
  const navigate = route.useNavigate()
  const client = useClient()
  const rights = useRights()
  const policies = useLive(['policies'], (options) => client.policies.watchList(options))
  const sorted = useMemo(
    () => policies.data?.toSorted((a, b) => a.Name.localeCompare(b.Name)),
    [policies.data],
  )
  return (
    <Page
      title="Policies"
      lead="Named sets of rules. Tokens and roles get their rights from policies."
      actions={
        rights.aclWrite && (
          <Link to="/policies/new" className="button" data-look="primary">
            <Plus aria-hidden />
            Create policy
          </Link>
        )
      }
    >
      <RecordList
        label="Policies"
        records={sorted}
        error={policies.error}
        onRetry={policies.refetch}
        columns={COLUMNS}
        keyOf={({ ID }) => ID}
        textOf={({ Name, Description }) => `${Name} ${Description}`}
        q={q}
        onSearch={(words) =>
          void navigate({ search: words === undefined ? {} : { q: words }, replace: true })
        }
        empty={{ icon: FileText, title: 'No policies yet', text: 'A policy defines what its tokens may do.' }}
        narrowTracks="minmax(0, 1fr)"
      />
    </Page>
  )
}
