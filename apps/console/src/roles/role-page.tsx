import type { Role } from '@latchkey/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Bot, FileText, Server, UsersRound } from 'lucide-react'
import { useLive, watchOrNull } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Usage } from '../tokens/usage.tsx'
import { Card, Page } from '../ui/page.tsx'
import { type Editing, RecordActions, RecordPage } from '../ui/record-page.tsx'
import { RoleDialog } from './role-dialog.tsx'

const route = getRouteApi('/roles/$id')
const PARENT = { to: '/roles', label: 'Roles' }

export function RolePage() {
  const { id } = route.useParams() as { id: string }
  const client = useClient()
  const role = useLive(['role', id], (options) => watchOrNull(client.roles.watch(id, options)))
  return (
    <RecordPage
      record={role.data}
      query={role}
      parent={PARENT}
      title="Role"
      gone={{ icon: UsersRound, title: 'This role does not exist', text: 'It may have been deleted.' }}
    >
      {(shown, editing) => <RoleDetails role={shown} {...editing} />}
    </RecordPage>
  )
}

interface DetailsProps extends Editing {
  readonly role: Role
}

function RoleDetails({ role, isDeleted, isEdited, setEdited }: DetailsProps) {
  const client = useClient()
  const rights = useRights()
  return (
    <Page
      title={role.Name}
      parent={PARENT}
      lead={role.Description}
      actions={
        rights.aclWrite && (
          <RecordActions
            what="role"
            name={role.Name}
            onEdit={() => setEdited(true)}
            onDelete={() => client.roles.delete(role.ID)}
            to="/roles"
          >
            Tokens lose its rights at once. This cannot be undone.
          </RecordActions>
        )
      }
    >
      <div className="columns">
        <Card title="Grants">
          <Grants role={role} />
        </Card>
        <Usage
          title="Tokens with this role"
          by="role"
          id={role.ID}
          name={role.Name}
          none="No token has this role."
        />
      </div>
      {isEdited && <RoleDialog role={role} isDeleted={isDeleted} onClose={() => setEdited(false)} />}
    </Page>
  )
}

function Grants({ role }: { readonly role: Role }) {
  const { Policies = [], ServiceIdentities = [], NodeIdentities = [] } = role
  if (Policies.length + ServiceIdentities.length + NodeIdentities.length === 0) {
    return <p className="secondary">It has no policy or identity, so it grants nothing.</p>
  }
  return (
    <ul className="usage">
      {Policies.map(({ ID, Name }) => (
        <li key={ID}>
          <FileText aria-hidden />
          <Link to="/policies/$id" params={{ id: ID }} className="truncate">
            {Name}
          </Link>
          <span className="small muted">policy</span>
        </li>
      ))}
      {ServiceIdentities.map(({ ServiceName }) => (
        <li key={ServiceName}>
          <Bot aria-hidden />
          <span className="truncate">{ServiceName}</span>
          <span className="small muted">service identity</span>
        </li>
      ))}
      {NodeIdentities.map(({ NodeName, Datacenter }) => (
        <li key={`${NodeName}@${Datacenter}`}>
          <Server aria-hidden />
          <span className="truncate">{NodeName}</span>
          <span className="small muted">node identity in {Datacenter}</span>
        </li>
      ))}
    </ul>
  )
}
