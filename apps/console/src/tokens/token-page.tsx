import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { CopyPlus, Ellipsis, KeyRound, Pencil, Scale, Trash2 } from 'lucide-react'
import { Fragment, useState } from 'react'
import { LinkBadges } from '../links/link-badges.tsx'
import { absoluteTime, isInstant } from '../live/instants.ts'
import { mapWatch, useLive } from '../live/use-live.ts'
import { type KnownToken, useClient, useSession, withoutSecret } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Badge, Button, IconButton } from '../ui/controls.tsx'
import { Problem } from '../ui/feedback.tsx'
import { TextField } from '../ui/form/field.tsx'
import { useChanged } from '../ui/form/unsaved.ts'
import { Expiry, Instant } from '../ui/instant.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { Menu } from '../ui/overlay/menu.tsx'
import { Card, Facts, Page } from '../ui/page.tsx'
import { type Editing, RecordPage } from '../ui/record-page.tsx'
import { CopySecret, ShownSecret, useCopySecret } from '../ui/secret.tsx'
import { EffectiveRights } from './effective-rights.tsx'
import { EditToken, type Made, madeOf, NewSecret } from './token-forms.tsx'
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
  const token = useLive(['token', accessorId, isRead], (_, options) =>
    // The secret is dropped when the record arrives, and read again when the person copies it.
    mapWatch(isRead ? client.tokens.watch(accessorId, options) : client.tokens.watchSelf(options), (found) =>
      found ? withoutSecret(found) : null,
    ),
  )
  return (
    <RecordPage
      query={token}
      parent={PARENT}
      title="Token"
      gone={{
        icon: KeyRound,
        title: 'This token does not exist',
        text: 'It may have been deleted, or it has expired.',
      }}
      // An open form stays, whatever happens to the token.
      showsError
    >
      {(shown, editing) => <TokenDetails token={shown} {...editing} />}
    </RecordPage>
  )
}

function useIsMine(accessorId: string): boolean {
  const session = useSession()
  return session.state === 'signedIn' && session.token?.AccessorID === accessorId
}

function TokenDetails(props: Editing & { readonly token: KnownToken }) {
  const { token, isDeleted, isEdited, setEdited } = props
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
              <Button onClick={() => setEdited(true)} icon={Pencil}>
                Edit token
              </Button>
              <Menu
                actions={[
                  { label: 'Clone token', icon: CopyPlus, onSelect: () => setCloning(true) },
                  { label: 'Delete token', icon: Trash2, tone: 'danger', onSelect: () => void onDelete() },
                ]}
              >
                <IconButton label="More actions" icon={Ellipsis} />
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

const SHOWN_MS = 30_000

function SecretActions({ accessorId }: { readonly accessorId: string }) {
  const client = useClient()
  const read = async () => (await client.tokens.read(accessorId)).SecretID
  const copy = useCopySecret(read)
  return (
    <div className="stack" data-gap="small">
      <p className="small secondary">
        The credential. Copy it without displaying it, or show it for half a minute.
      </p>
      <div className="row">
        <CopySecret copy={copy} size="small" isRepeated />
        <ShownSecret read={read} shownMs={SHOWN_MS} />
      </div>
      {copy.error && <Problem error={copy.error} />}
    </div>
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
  const { ExpirationTime, CreateTime, CreateIndex, ModifyIndex } = token
  return (
    <Facts
      facts={[
        [
          'Expires',
          <Fragment key="expires">
            <Expiry value={ExpirationTime} />
            {ExpirationTime !== undefined && <Absolute value={ExpirationTime} />}
          </Fragment>,
        ],
        [
          'Created',
          isInstant(CreateTime) && (
            <>
              <Instant value={CreateTime} />
              <Absolute value={CreateTime} />
            </>
          ),
        ],
        [
          'Valid in',
          <Fragment key="valid">
            {token.Local ? 'This datacenter only' : 'Every datacenter'}
            {isMine && <Badge tone="accent">your token</Badge>}
          </Fragment>,
          'row',
        ],
        ['Login method', token.AuthMethod],
        ['Namespace', token.Namespace],
        ['Created and changed at index', `${CreateIndex} · ${ModifyIndex}`, 'nums'],
      ]}
    />
  )
}

function Absolute({ value }: { readonly value: string }) {
  return <div className="small muted nums">{absoluteTime(value)}</div>
}

function CloneToken({ token, onClose }: { readonly token: KnownToken; readonly onClose: () => void }) {
  const client = useClient()
  const [description, setDescription] = useState(token.Description && `${token.Description} (clone)`)
  const [made, setMade] = useState<Made>()
  const isChanged = useChanged(description)
  const clone = useMutation({
    mutationFn: async () =>
      madeOf(await client.tokens.clone(token.AccessorID, { Description: description.trim() })),
    onSuccess: setMade,
    gcTime: 0,
  })
  if (made) return <NewSecret made={made} onClose={onClose} />
  return (
    <Dialog
      title="Clone token"
      lead="The clone has the same rights and expiration, and new IDs."
      onClose={onClose}
      isChanged={isChanged}
      action={{ label: 'Clone token', run: clone }}
    >
      <TextField label="Description" name="description" value={description} onValue={setDescription} />
    </Dialog>
  )
}
