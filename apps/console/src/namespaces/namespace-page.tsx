import type { Namespace } from '@latchkey/sdk'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Ellipsis, Layers, LogIn, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { LinkBadges } from '../links/link-badges.tsx'
import { type Editing, useEditing } from '../live/use-kept.ts'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Button, IconButton } from '../ui/controls.tsx'
import { Empty, Problem, Skeleton } from '../ui/feedback.tsx'
import { Confirm } from '../ui/overlay/dialog.tsx'
import { Menu } from '../ui/overlay/menu.tsx'
import { Card, Page } from '../ui/page.tsx'
import { showToast } from '../ui/toast.tsx'
import { defaultsOf, NamespaceDialog } from './namespace-dialog.tsx'

const route = getRouteApi('/namespaces/$name')
const PARENT = { to: '/namespaces', label: 'Namespaces' }

/** The namespace that always exists. */
const DEFAULT = 'default'

export function NamespacePage() {
  const { name } = route.useParams() as { name: string }
  const client = useClient()
  const namespaces = useLive(['namespaces'], (options) => client.namespaces.watchList(options))
  const found = namespaces.data && (namespaces.data.find(({ Name }) => Name === name) ?? null)
  const { shown, edit } = useEditing(found)
  if (shown) return <NamespaceDetails namespace={shown} {...edit} />
  return (
    <Page title={name} parent={PARENT}>
      {namespaces.error ? (
        <Problem error={namespaces.error} onRetry={namespaces.refetch} />
      ) : namespaces.isPending ? (
        <Skeleton lines={6} />
      ) : (
        <Empty icon={Layers} title="This namespace does not exist">
          It may have been deleted.
        </Empty>
      )}
    </Page>
  )
}

interface DetailsProps extends Editing {
  readonly namespace: Namespace
}

function NamespaceDetails({ namespace, isDeleted, isEdited, setEdited }: DetailsProps) {
  const client = useClient()
  const rights = useRights()
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const { Name, Description } = namespace
  return (
    <Page
      title={Name}
      parent={PARENT}
      lead={Description}
      actions={
        <>
          <Link to="/tokens" search={{ ns: Name }} className="button">
            <LogIn aria-hidden />
            Switch to it
          </Link>
          {rights.operatorWrite && (
            <Button onClick={() => setEdited(true)}>
              <Pencil aria-hidden />
              Edit namespace
            </Button>
          )}
          {rights.operatorWrite && Name !== DEFAULT && (
            <Menu
              actions={[
                {
                  label: 'Delete namespace',
                  icon: Trash2,
                  tone: 'danger',
                  onSelect: () => setDeleting(true),
                },
              ]}
            >
              <IconButton label="More actions">
                <Ellipsis aria-hidden />
              </IconButton>
            </Menu>
          )}
        </>
      }
    >
      <div className="columns">
        <Card title="Defaults">
          <div className="stack">
            <p className="secondary">
              Every token in the namespace gets these in addition to its own, including the anonymous token.
            </p>
            <LinkBadges record={defaultsOf(namespace)} none="No defaults" isWhole />
          </div>
        </Card>
        <Contents name={Name} />
      </div>
      {isEdited && (
        <NamespaceDialog namespace={namespace} isDeleted={isDeleted} onClose={() => setEdited(false)} />
      )}
      {isDeleting && (
        <Confirm
          title={`Delete “${Name}”?`}
          action="Delete namespace"
          onConfirm={async () => {
            await client.namespaces.delete(Name)
            showToast({ text: `Deleted “${Name}”.` })
            await navigate({ to: '/namespaces' })
          }}
          onClose={() => setDeleting(false)}
        >
          Only an empty namespace can be deleted, one without tokens, policies, roles and keys.
        </Confirm>
      )}
    </Page>
  )
}

/** The lists of the namespace, with their sizes. */
function Contents({ name }: { readonly name: string }) {
  const rights = useRights()
  const client = useClient().withNamespace(name)
  const policies = useLive(['namespace', name, 'policies'], (options) => client.policies.watchList(options), {
    enabled: rights.aclRead,
  })
  const roles = useLive(['namespace', name, 'roles'], (options) => client.roles.watchList({}, options), {
    enabled: rights.aclRead,
  })
  if (policies.error || roles.error) return null
  return (
    <Card title="Contents">
      <div className="counts">
        <Link to="/policies" search={{ ns: name }} className="count-link">
          <span className="count-number nums">{policies.data?.length ?? '–'}</span>
          Policies
        </Link>
        <Link to="/roles" search={{ ns: name }} className="count-link">
          <span className="count-number nums">{roles.data?.length ?? '–'}</span>
          Roles
        </Link>
      </div>
    </Card>
  )
}
