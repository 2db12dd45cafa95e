import type { AuthMethod } from '@latchkey/sdk'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { LogIn, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { texts } from '../texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Problem } from '../ui/feedback/problem.tsx'
import { Empty, Skeleton } from '../ui/feedback/states.tsx'
import { Confirm } from '../ui/overlay/confirm.tsx'
import { Card, Page } from '../ui/page.tsx'
import '../ui/styles/catalog.css'
import { BindingRules } from './binding-rules.tsx'
import { LoginTest } from './login-test.tsx'

const route = getRouteApi('/login-methods/$name')

/** A login method: its configuration, what its tokens get, and what given claims would get. */
export function LoginMethodPage() {
  const { name } = route.useParams() as { readonly name: string }
  const client = useClient()
  const rights = useRights()
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const method = useLive(['login-method', name], (options) => client.authMethods.watch(name, options))
  return (
    <Page
      title={name}
      parent={{ to: '/login-methods', label: texts.logins.title }}
      lead={method.data?.Description}
      actions={
        method.data &&
        rights.aclWrite && (
          <Button onClick={() => setDeleting(true)}>
            <Trash2 aria-hidden />
            {texts.logins.delete}
          </Button>
        )
      }
    >
      {method.error && <Problem error={method.error} onRetry={method.refetch} />}
      {method.isPending && <Skeleton lines={6} />}
      {method.isSuccess && method.data === undefined && (
        <Empty icon={LogIn} title={texts.logins.goneTitle}>
          {texts.logins.gone}
        </Empty>
      )}
      {method.data && (
        <div className="columns">
          <div className="stack">
            <BindingRules method={name} />
            {rights.aclWrite && <LoginTest method={name} />}
          </div>
          <Facts method={method.data} />
        </div>
      )}
      {isDeleting && (
        <Confirm
          title={texts.logins.deleteTitle(name)}
          action={texts.logins.delete}
          onConfirm={async () => {
            await client.authMethods.delete(name)
            void navigate({ to: '/login-methods' })
          }}
          onClose={() => setDeleting(false)}
        >
          {texts.logins.deleteText}
        </Confirm>
      )}
    </Page>
  )
}

/** Fields of a configuration that the server shows to `acl:write` callers, and that the page never shows. */
const HIDDEN_FIELDS: readonly string[] = ['OIDCClientSecret', 'ServiceAccountJWT']

function Facts({ method }: { readonly method: AuthMethod }) {
  const config = Object.entries(method.Config).filter(([, value]) => value !== undefined && value !== '')
  return (
    <Card title={texts.logins.about}>
      <dl className="facts">
        <div>
          <dt>{texts.logins.type}</dt>
          <dd>
            <Badge>{method.Type}</Badge>
          </dd>
        </div>
        <div>
          <dt>{texts.logins.ttl}</dt>
          <dd>{method.MaxTokenTTL ?? texts.common.never}</dd>
        </div>
        {config.map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd className="mono small">
              {HIDDEN_FIELDS.includes(key) ? texts.logins.hidden : shownValue(value)}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

function shownValue(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.join(', ')
  return JSON.stringify(value)
}
