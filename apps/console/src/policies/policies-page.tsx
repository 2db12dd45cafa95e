import type { PolicyListEntry } from '@latchkey/sdk'
import { FileText } from 'lucide-react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Badges } from '../ui/controls.tsx'
import { type Column, TitleCell } from '../ui/table/data-table.tsx'
import { ListPage } from '../ui/table/list-page.tsx'

const COLUMNS: readonly Column<PolicyListEntry>[] = [
  {
    header: 'Name',
    track: 'minmax(0, 2fr)',
    cell: ({ ID, Name, Description }) => (
      <TitleCell to="/policies/$id" params={{ id: ID }} title={Name} sub={Description} />
    ),
  },
  {
    header: 'Applies in',
    track: 'minmax(0, 1fr)',
    priority: 'low',
    cell: ({ Datacenters }) =>
      Datacenters?.length ? (
        <Badges texts={Datacenters} />
      ) : (
        <span className="small muted">every datacenter</span>
      ),
  },
  {
    header: 'Changed at',
    track: '6rem',
    priority: 'low',
    cell: ({ ModifyIndex }) => <span className="small muted nums">{ModifyIndex}</span>,
  },
]

export function PoliciesPage() {
  const client = useClient()
  const rights = useRights()
  const policies = useLive(['policies'], (options) => client.policies.watchList(options))
  return (
    <ListPage
      title="Policies"
      lead="Named sets of rules. Tokens and roles get their rights from policies."
      query={policies}
      columns={COLUMNS}
      keyOf={({ ID }) => ID}
      sortBy={({ Name }) => Name}
      textsOf={({ Name, Description }) => [Name, Description]}
      empty={{ icon: FileText, title: 'No policies yet', text: 'A policy defines what its tokens may do.' }}
      create={{ what: 'policy', may: rights.aclWrite, to: '/policies/new' }}
    />
  )
}
