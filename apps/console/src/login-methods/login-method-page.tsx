import type { AuthMethod } from '@latchkey/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { LogIn } from 'lucide-react'
import type { Editing } from '../live/use-kept.ts'
import { mapWatch, useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Badge } from '../ui/controls.tsx'
import { Card, Page } from '../ui/page.tsx'
import { DeleteMenu, EditButton, RecordPage } from '../ui/record-page.tsx'
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
  return (
    <RecordPage
      record={method.data}
      query={method}
      parent={PARENT}
      title={name}
      gone={{
        icon: LogIn,
        title: 'This login method does not exist',
        text: 'It was deleted. It appears here if it is created again.',
      }}
    >
      {(shown, editing) => <MethodDetails method={shown} {...editing} />}
    </RecordPage>
  )
}

interface DetailsProps extends Editing {
  readonly method: AuthMethod
}

function MethodDetails({ method, isDeleted, isEdited, setEdited }: DetailsProps) {
  const { Name: name } = method
  const client = useClient()
  const rights = useRights()
  return (
    <Page
      title={method.DisplayName || name}
      parent={PARENT}
      lead={method.Description}
      actions={
        rights.aclWrite && (
          <>
            <EditButton label="Edit login method" onClick={() => setEdited(true)} />
            <DeleteMenu
              label="Delete"
              title={`Delete the login method ${name}?`}
              onDelete={() => client.authMethods.delete(name)}
              to="/login-methods"
            >
              This also deletes its binding rules and all tokens that it created. It cannot be undone.
            </DeleteMenu>
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
