import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { CopyPlus, Ellipsis, KeyRound, Pencil, Scale, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { LinkBadges } from '../links/link-badges.tsx'
import { absoluteTime, isInstant } from '../live/instants.ts'
import { type Editing, useEditing } from '../live/use-kept.ts'
import { mapWatch, useLive } from '../live/use-live.ts'
import { type KnownToken, useClient, useSession, withoutSecret } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Badge, Button, IconButton } from '../ui/controls.tsx'
import { Empty, Problem, Skeleton } from '../ui/feedback.tsx'
import { Expiry, Instant } from '../ui/instant.tsx'
import { Menu } from '../ui/overlay/menu.tsx'
import { Card, Page } from '../ui/page.tsx'
import { CloneToken } from './clone-token.tsx'
import { EditToken } from './edit-token.tsx'
import { EffectiveRights } from './effective-rights.tsx'
import { SecretActions } from './secret-actions.tsx'
import { useDeleteToken } from './use-delete-token.ts'

const route = getRouteApi('/tokens/$accessorId')
const PARENT = { to: '/tokens', label: 'Tokens' }

export function TokenPage() {
  const { accessorId } = route.useParams() as { accessorId: string }
  const client = useClient()
  const rights = useRights()
  const isMine = useIsMine(accessorId)
  // Without acl:read, people see their own token.
  const isRead = !isMine || rights.aclRead
  const token = useLive(['token', accessorId, isRead], (options) =>
    // The secret is dropped when the record arrives, and read again when the person copies it.
    mapWatch(isRead ? client.tokens.watch(accessorId, options) : client.tokens.watchSelf(options), (found) =>
      found ? withoutSecret(found) : null,
    ),
  )
  const { shown, edit } = useEditing(token.data)
  // An open form stays, whatever happens to the token.
  if (token.error && !edit.isEdited) {
    return (
      <Page title="Token" parent={PARENT}>
        <Problem error={token.error} onRetry={token.refetch} />
      </Page>
    )
  }
  if (token.isPending) {
    return (
      <Page title="Token" parent={PARENT}>
        <Skeleton lines={6} />
      </Page>
    )
  }
  if (!shown) {
    return (
      <Page title="Token" parent={PARENT}>
        <Empty icon={KeyRound} title="This token does not exist">
          It may have been deleted, or it has expired.
        </Empty>
      </Page>
    )
  }
  return <TokenDetails token={shown} {...edit} />
}

function useIsMine(accessorId: string): boolean {
  const session = useSession()
  return session.state === 'signedIn' && session.token?.AccessorID === accessorId
}

interface DetailsProps extends Editing {
  readonly token: KnownToken
}

function TokenDetails({ token, isDeleted, isEdited, setEdited }: DetailsProps) {
  const rights = useRights()
  const isMine = useIsMine(token.AccessorID)
  const navigate = useNavigate()
  const remove = useDeleteToken()
  const [isCloning, setCloning] = useState(false)
  const onDelete = async () => {
    if (await remove(token)) await navigate({ to: '/tokens' })
  }
  return (
    <Page
      title={token.Description || 'No description'}
      {...(rights.aclRead ? { parent: PARENT } : {})}
      lead={<span className="mono small">{token.AccessorID}</span>}
      actions={
        <>
          {(rights.aclRead || isMine) && (
            <Link to="/ask" search={rights.aclRead ? { token: token.AccessorID } : {}} className="button">
              <Scale aria-hidden />
              Ask
            </Link>
          )}
          {rights.aclWrite && (
            <>
              <Button onClick={() => setEdited(true)}>
                <Pencil aria-hidden />
                Edit token
              </Button>
              <Menu
                actions={[
                  { label: 'Clone token', icon: CopyPlus, onSelect: () => setCloning(true) },
                  {
                    label: 'Delete token',
                    icon: Trash2,
                    tone: 'danger',
                    onSelect: () => void onDelete(),
                  },
                ]}
              >
                <IconButton label="More actions">
                  <Ellipsis aria-hidden />
                </IconButton>
              </Menu>
            </>
          )}
        </>
      }
    >
      <div className="columns">
        <Card title="What it may do">
          {rights.aclRead ? <EffectiveRights token={token} /> : <OwnLinks token={token} />}
        </Card>
        <div className="stack" data-gap="large">
          {rights.aclWrite && (
            <Card title="Secret">
              <SecretActions accessorId={token.AccessorID} />
            </Card>
          )}
          <Card title="Details">
            <TokenFacts token={token} />
          </Card>
        </div>
      </div>
      {isEdited && <EditToken token={token} isDeleted={isDeleted} onClose={() => setEdited(false)} />}
      {isCloning && <CloneToken token={token} onClose={() => setCloning(false)} />}
    </Page>
  )
}

/** What the token is linked to; the rules need acl:read. */
function OwnLinks({ token }: { readonly token: KnownToken }) {
  const { Policies, Roles, ServiceIdentities, NodeIdentities } = token
  const hasLinks = [Policies, Roles, ServiceIdentities, NodeIdentities].some((links) => links?.length)
  return (
    <div className="stack">
      <LinkBadges record={token} isWhole />
      {hasLinks && (
        <p className="small muted">To see the rules behind these names, your token needs acl:read.</p>
      )}
    </div>
  )
}

function TokenFacts({ token }: { readonly token: KnownToken }) {
  const isMine = useIsMine(token.AccessorID)
  return (
    <dl className="facts">
      <div>
        <dt>Expires</dt>
        <dd>
          <Expiry value={token.ExpirationTime} />
          {token.ExpirationTime !== undefined && (
            <div className="small muted nums">{absoluteTime(token.ExpirationTime)}</div>
          )}
        </dd>
      </div>
      {isInstant(token.CreateTime) && (
        <div>
          <dt>Created</dt>
          <dd>
            <Instant value={token.CreateTime} />
            <div className="small muted nums">{absoluteTime(token.CreateTime)}</div>
          </dd>
        </div>
      )}
      <div>
        <dt>Valid in</dt>
        <dd className="row">
          {token.Local ? 'This datacenter only' : 'Every datacenter'}
          {isMine && <Badge tone="accent">your token</Badge>}
        </dd>
      </div>
      {token.AuthMethod !== undefined && (
        <div>
          <dt>Login method</dt>
          <dd>{token.AuthMethod}</dd>
        </div>
      )}
      {token.Namespace !== undefined && (
        <div>
          <dt>Namespace</dt>
          <dd>{token.Namespace}</dd>
        </div>
      )}
      <div>
        <dt>Created and changed at index</dt>
        <dd className="nums">
          {token.CreateIndex} · {token.ModifyIndex}
        </dd>
      </div>
    </dl>
  )
}
