import type { Role } from '@latchkey/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Bot, FileText, KeyRound, Server, UsersRound } from 'lucide-react'
import type { Editing } from '../live/use-kept.ts'
import { useLive, useRefetchOn, watchOrNull } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Problem, Skeleton } from '../ui/feedback.tsx'
import { Card, Page } from '../ui/page.tsx'
import { DeleteMenu, EditButton, RecordPage } from '../ui/record-page.tsx'
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
          <>
            <EditButton label="Edit role" onClick={() => setEdited(true)} />
            <DeleteMenu
              label="Delete role"
              title={`Delete “${role.Name}”?`}
              onDelete={() => client.roles.delete(role.ID)}
              deleted={`Deleted “${role.Name}”.`}
              to="/roles"
            >
              Tokens lose its rights at once. This cannot be undone.
            </DeleteMenu>
          </>
        )
      }
    >
      <div className="columns">
        <Card title="Grants">
          <Grants role={role} />
        </Card>
        <RoleTokens role={role} />
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

const TOKENS_MAX = 10

function RoleTokens({ role: { ID, Name } }: { readonly role: Role }) {
  const client = useClient()
  const tokens = useQuery({
    queryKey: ['role-tokens', ID],
    queryFn: async ({ signal }) => {
      const page = await client
        .withMeta()
        .tokens.list({ role: ID, sort: '-CreateIndex' }, { limit: TOKENS_MAX, signal })
      return {
        shown: page.value.map(({ AccessorID, Description }) => ({ AccessorID, Description })),
        hasMore: page.nextCursor !== undefined,
      }
    },
  })
  useRefetchOn(['role-tokens', ID], (options) => client.withMeta().tokens.list({ role: ID }, options))
  return (
    <Card title="Tokens with this role">
      {tokens.error ? (
        <Problem error={tokens.error} onRetry={tokens.refetch} />
      ) : !tokens.data ? (
        <Skeleton lines={3} />
      ) : tokens.data.shown.length === 0 ? (
        <p className="secondary">No token has this role.</p>
      ) : (
        <ul className="usage">
          {tokens.data.shown.map(({ AccessorID, Description }) => (
            <li key={AccessorID}>
              <KeyRound aria-hidden />
              <Link
                to="/tokens/$accessorId"
                params={{ accessorId: AccessorID }}
                preload={false}
                className="truncate"
              >
                {Description || AccessorID}
              </Link>
            </li>
          ))}
          <li className="small">
            <Link to="/tokens" search={{ role: Name }}>
              {tokens.data.hasMore ? 'Show all tokens' : 'Show in tokens'}
            </Link>
          </li>
        </ul>
      )}
    </Card>
  )
}
