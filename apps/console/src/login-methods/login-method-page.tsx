import '../ui/styles/catalog.css'
import '../ui/styles/insight.css'
import type { AuthMethod, LoginExplanation } from '@latchkey/sdk'
import { useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { CircleCheck, CircleSlash, LogIn } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { mapWatch, useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Badge, Button } from '../ui/controls.tsx'
import { Problem } from '../ui/feedback.tsx'
import { Card, Facts, Page } from '../ui/page.tsx'
import { type Editing, RecordActions, RecordPage } from '../ui/record-page.tsx'
import { BindingRules } from './binding-rules.tsx'
import { concealed, isSecretField, JsonField, readJson, shownValue } from './method-config.tsx'
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

/** What a login with given claims would get. Claims do not leave the page, because they may identify a person. */
function LoginTest({ method }: { readonly method: string }) {
  const client = useClient()
  const [claims, setClaims] = useState('{\n  "sub": "ada"\n}')
  const read = readJson(claims)
  const test = useMutation({ mutationFn: async () => client.authMethods.explain(method, read ?? {}) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (read) test.mutate()
  }
  return (
    <Card title="Test a login">
      <form className="stack" onSubmit={submit}>
        <JsonField label="Claims of the credential" value={claims} onValue={setClaims} />
        <div>
          <Button type="submit" disabled={!read} busy={test.isPending}>
            Test these claims
          </Button>
        </div>
        {test.error && <Problem error={test.error} />}
        {test.data && <Outcome outcome={test.data} />}
      </form>
    </Card>
  )
}

function Outcome({ outcome }: { readonly outcome: LoginExplanation }) {
  const { Refused, Roles, ServiceIdentities, NodeIdentities, Rights, Rules } = outcome
  const Icon = Refused === undefined ? CircleCheck : CircleSlash
  const links = [
    ...Roles.map(({ Name }) => `Role ${Name}`),
    ...ServiceIdentities.map(({ ServiceName }) => `Service ${ServiceName}`),
    ...NodeIdentities.map(({ NodeName }) => `Node ${NodeName}`),
  ]
  return (
    <div className="stack" role="status">
      <div className="connection-answer" data-allow={Refused === undefined}>
        <Icon aria-hidden />
        <div>
          <strong>{Refused === undefined ? 'The login would succeed' : 'The login would be refused'}</strong>
          {Refused !== undefined && <p className="small secondary">{Refused}</p>}
        </div>
      </div>
      {links.length > 0 && (
        <div className="row">
          {links.map((link) => (
            <Badge key={link} tone="accent">
              {link}
            </Badge>
          ))}
        </div>
      )}
      {Rules.length > 0 && (
        <ul className="lines small">
          {Rules.map(({ ID, BindType, BindName, Applies, Name, Reason }) => (
            <li key={ID}>
              <span className="mono">
                {BindType} {Name ?? BindName}
              </span>
              <span className="row">
                {Reason !== undefined && <span className="secondary">{Reason}</span>}
                <Badge tone={Applies ? 'good' : 'plain'}>{Applies ? 'Applies' : 'Does not apply'}</Badge>
              </span>
            </li>
          ))}
        </ul>
      )}
      {Rights.length > 0 && (
        <div>
          <h3>Rights of the token</h3>
          <ul className="small mono">
            {Rights.map(({ Resource, Segment, Access }) => (
              <li key={`${Resource} ${Segment} ${Access}`}>
                {Resource}:{Access} {Segment === '' ? 'all' : Segment}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}
