import type { PolicyListEntry } from '@latchkey/sdk'
import { FileText } from 'lucide-react'
import { Badges } from '../ui/controls.tsx'
import { type Column, TitleCell } from '../ui/table/data-table.tsx'
import { ListPage } from '../ui/table/list-page.tsx'

const COLUMNS: readonly Column<PolicyListEntry>[] = [
  [
    'Name',
    'minmax(0, 2fr)',
    ({ ID, Name, Description }) => (
      <TitleCell to="/policies/$id" params={{ id: ID }} title={Name} sub={Description} />
    ),
  ],
  [
    'Applies in',
    'minmax(0, 1fr)',
    ({ Datacenters }) =>
      Datacenters?.length ? (
        <Badges texts={Datacenters} />
      ) : (
        <span className="small muted">every datacenter</span>
      ),
    { priority: 'low' },
  ],
  [
    'Changed at',
    '6rem',
    ({ ModifyIndex }) => <span className="small muted nums">{ModifyIndex}</span>,
    { priority: 'low' },
  ],
]

export function PoliciesPage() {
  return (
    <ListPage
      title="Policies"
      lead="Named sets of rules. Tokens and roles get their rights from policies."
      queryKey={['policies']}
      watch={(client, options) => client.policies.watchList(options)}
      columns={COLUMNS}
      keyOf={({ ID }) => ID}
      sortBy={({ Name }) => Name}
      textsOf={({ Name, Description }) => [Name, Description]}
      empty={{ icon: FileText, title: 'No policies yet', text: 'A policy defines what its tokens may do.' }}
      create={{ what: 'policy', needs: 'aclWrite', to: '/policies/new' }}
    />
  )
}
