import type { AuthMethod } from '@latchkey/sdk'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Ellipsis, LogIn, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { type Editing, useEditing } from '../live/use-kept.ts'
import { mapWatch, useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Badge, Button, IconButton } from '../ui/controls.tsx'
import { Empty, Problem, Skeleton } from '../ui/feedback.tsx'
import { Confirm } from '../ui/overlay/dialog.tsx'
import { Menu } from '../ui/overlay/menu.tsx'
import { Card, Page } from '../ui/page.tsx'
import '../ui/styles/catalog.css'
import { BindingRules } from './binding-rules.tsx'
import { LoginTest } from './login-test.tsx'
import { concealed, isSecretField, shownValue } from './method-config.tsx'
import { MethodDialog } from './method-dialog.tsx'

const route = getRouteApi('/login-methods/$name')
const PARENT = { to: '/login-methods', label: 'Login methods' }

/** A login method: its configuration, what its tokens get, and what given claims would get. */
export function LoginMethodPage() {
  const { name } = route.useParams() as { readonly name: string }
  const client = useClient()
  const method = useLive(['login-method', name], (options) =>
    // The secrets are dropped when the record arrives; saving reads them again.
    mapWatch(client.authMethods.watch(name, options), (found) => (found ? concealed(found) : null)),
  )
  const { shown, edit } = useEditing(method.data)
  if (shown) return <MethodDetails method={shown} {...edit} />
  return (
    <Page title={name} parent={PARENT}>
      {method.error ? (
        <Problem error={method.error} onRetry={method.refetch} />
      ) : method.isPending ? (
        <Skeleton lines={6} />
      ) : (
        <Empty icon={LogIn} title="This login method does not exist">
          It was deleted. It appears here if it is created again.
        </Empty>
      )}
    </Page>
  )
}

interface DetailsProps extends Editing {
  readonly method: AuthMethod
}

function MethodDetails({ method, isDeleted, isEdited, setEdited }: DetailsProps) {
  const { Name: name } = method
  const client = useClient()
  const rights = useRights()
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  return (
    <Page
      title={method.DisplayName || name}
      parent={PARENT}
      lead={method.Description}
      actions={
        rights.aclWrite && (
          <>
            <Button onClick={() => setEdited(true)}>
              <Pencil aria-hidden />
              Edit login method
            </Button>
            <Menu
              actions={[
                {
                  label: 'Delete',
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
          </>
        )
      }
    >
      <div className="columns">
        <div className="stack">
          <BindingRules method={name} />
          {rights.aclWrite && <LoginTest method={name} />}
        </div>
        <Facts method={method} />
      </div>
      {isEdited && (
        <MethodDialog
          method={method}
          isDeleted={isDeleted}
          onSaved={() => setEdited(false)}
          onClose={() => setEdited(false)}
        />
      )}
      {isDeleting && (
        <Confirm
          title={`Delete the login method ${name}?`}
          action="Delete"
          onConfirm={async () => {
            await client.authMethods.delete(name)
            void navigate({ to: '/login-methods' })
          }}
          onClose={() => setDeleting(false)}
        >
          This also deletes its binding rules and all tokens that it created. It cannot be undone.
        </Confirm>
      )}
    </Page>
  )
}

function Facts({ method }: { readonly method: AuthMethod }) {
  const config = Object.entries(method.Config).filter(([, value]) => value !== undefined && value !== '')
  return (
    <Card title="Configuration">
      <dl className="facts">
        <div>
          <dt>Type</dt>
          <dd>
            <Badge>{method.Type}</Badge>
          </dd>
        </div>
        <div>
          <dt>Token lifetime</dt>
          <dd>{method.MaxTokenTTL ?? 'Never'}</dd>
        </div>
        {config.map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd className="mono small">{isSecretField(key) ? '(hidden)' : shownValue(value)}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
