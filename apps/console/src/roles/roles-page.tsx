import type { Role } from '@latchkey/sdk'
import { UsersRound } from 'lucide-react'
import { LinkBadges } from '../links/link-badges.tsx'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { type Column, TitleCell } from '../ui/table/data-table.tsx'
import { ListPage } from '../ui/table/list-page.tsx'
import { RoleDialog } from './role-dialog.tsx'

const COLUMNS: readonly Column<Role>[] = [
  {
    header: 'Name',
    track: 'minmax(0, 1fr)',
    cell: ({ ID, Name, Description }) => (
      <TitleCell to="/roles/$id" params={{ id: ID }} title={Name} sub={Description} />
    ),
  },
  {
    header: 'Grants',
    track: 'minmax(0, 1fr)',
    priority: 'low',
    cell: (role) => <LinkBadges record={role} />,
  },
]

export function RolesPage() {
  const client = useClient()
  const rights = useRights()
  const roles = useLive(['roles'], (options) => client.roles.watchList({}, options))
  return (
    <ListPage
      title="Roles"
      lead="Named bundles of policies and identities for tokens."
      query={roles}
      columns={COLUMNS}
      keyOf={({ ID }) => ID}
      sortBy={({ Name }) => Name}
      textsOf={({ Name, Description, Policies = [] }) => [
        Name,
        Description,
        ...Policies.map((policy) => policy.Name),
      ]}
      empty={{
        icon: UsersRound,
        title: 'No roles yet',
        text: 'A role gives the same rights to many tokens.',
      }}
      create={{ what: 'role', may: rights.aclWrite }}
      dialog={(onClose) => <RoleDialog onClose={onClose} />}
    />
  )
}
