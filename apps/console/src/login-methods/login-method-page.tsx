import type { AuthMethod } from '@latchkey/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { LogIn } from 'lucide-react'
import { mapWatch, useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Badge } from '../ui/controls.tsx'
import { Card, Facts, Page } from '../ui/page.tsx'
import { type Editing, RecordActions, RecordPage } from '../ui/record-page.tsx'
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
  const config = Object.entries(method.Config).filter(([, value]) => value !== undefined && value !== '')
  return (
    <Page
      title={method.DisplayName || name}
      parent={PARENT}
      lead={method.Description}
      actions={
        rights.aclWrite && (
          <RecordActions
            what="login method"
            name={name}
            onEdit={() => setEdited(true)}
            onDelete={() => client.authMethods.delete(name)}
            to="/login-methods"
          >
            This also deletes its binding rules and all tokens that it created. It cannot be undone.
          </RecordActions>
        )
      }
    >
      <div className="columns">
        <div className="stack">
          <BindingRules method={name} />
          {rights.aclWrite && <LoginTest method={name} />}
        </div>
        <Card title="Configuration">
          <Facts
            facts={[
              ['Type', <Badge key="type">{method.Type}</Badge>],
              ['Token lifetime', method.MaxTokenTTL ?? 'Never'],
              ...config.map(([key, value]) => {
                return [key, isSecretField(key) ? '(hidden)' : shownValue(value), 'mono small'] as const
              }),
            ]}
          />
        </Card>
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
