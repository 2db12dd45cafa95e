import '../ui/styles/catalog.css'
import '../ui/styles/insight.css'
import type { AuthMethodListEntry, LoginExplanation } from '@latchkey/sdk'
import { useMutation } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { CircleCheck, CircleSlash, LogIn } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { mapWatch, useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Badge, Button } from '../ui/controls.tsx'
import { Problem } from '../ui/feedback.tsx'
import { Card, Facts } from '../ui/page.tsx'
import { EditablePage } from '../ui/record-page.tsx'
import { type Column, TitleCell } from '../ui/table/data-table.tsx'
import { ListPage } from '../ui/table/list-page.tsx'
import { BindingRules } from './binding-rules.tsx'
import { concealed, isSecretField, JsonField, readJson, shownValue } from './method-config.tsx'
import { MethodDialog } from './method-dialog.tsx'

const COLUMNS: readonly Column<AuthMethodListEntry>[] = [
  [
    'Method',
    'minmax(0, 4fr)',
    ({ Name, DisplayName, Description }) => (
      <TitleCell
        to="/login-methods/$name"
        params={{ name: Name }}
        title={DisplayName || Name}
        sub={Description || Name}
      />
    ),
  ],
  ['Type', '8rem', ({ Type }) => <Badge>{Type}</Badge>],
  [
    'Token lifetime',
    '9rem',
    ({ MaxTokenTTL }) => <span className="small nums">{MaxTokenTTL ?? 'Never'}</span>,
    { priority: 'low' },
  ],
]

export function LoginMethodsPage() {
  const navigate = useNavigate()
  return (
    <ListPage
      title="Login methods"
      lead="Identity providers whose credentials can be exchanged for a token."
      queryKey={['login-methods']}
      watch={(client, options) => client.authMethods.watchList(options)}
      columns={COLUMNS}
      keyOf={({ Name }) => Name}
      textsOf={({ Name, DisplayName = '', Description = '', Type }) => [Name, DisplayName, Description, Type]}
      empty={{
        icon: LogIn,
        title: 'No login methods',
        text: 'Create a login method so that people and programs can log in with their existing credentials.',
      }}
      narrowTracks="minmax(0, 1fr) 6rem"
      create={{ what: 'login method', needs: 'aclWrite' }}
      dialog={(onClose) => (
        <MethodDialog
          onClose={onClose}
          onSaved={({ Name }) => void navigate({ to: '/login-methods/$name', params: { name: Name } })}
        />
      )}
    />
  )
}

const route = getRouteApi('/login-methods/$name')

export function LoginMethodPage() {
  const { name } = route.useParams() as { readonly name: string }
  const client = useClient()
  const rights = useRights()
  const method = useLive(['login-method', name], (_, options) =>
    // The secrets are dropped when the record arrives; saving reads them again.
    mapWatch(client.authMethods.watch(name, options), (found) => (found ? concealed(found) : null)),
  )
  return (
    <EditablePage
      what="login method"
      query={method}
      parent={{ to: '/login-methods', label: 'Login methods' }}
      title={name}
      gone={{
        icon: LogIn,
        title: 'This login method does not exist',
        text: 'It was deleted. It appears here if it is created again.',
      }}
      needs="aclWrite"
      nameOf={({ DisplayName }) => DisplayName || name}
      leadOf={({ Description }) => Description}
      remove={() => client.authMethods.delete(name)}
      warning="This also deletes its binding rules and all tokens that it created. It cannot be undone."
      dialog={MethodDialog}
    >
      {({ Type, MaxTokenTTL, Config }) => (
        <>
          <div className="stack">
            <BindingRules method={name} />
            {rights.aclWrite && <LoginTest method={name} />}
          </div>
          <Card title="Configuration">
            <Facts
              facts={[
                ['Type', <Badge key="type">{Type}</Badge>],
                ['Token lifetime', MaxTokenTTL ?? 'Never'],
                ...Object.entries(Config)
                  .filter(([, value]) => value !== undefined && value !== '')
                  .map(([key, value]) => {
                    return [key, isSecretField(key) ? '(hidden)' : shownValue(value), 'mono small'] as const
                  }),
              ]}
            />
          </Card>
        </>
      )}
    </EditablePage>
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
