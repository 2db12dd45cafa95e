import { PermissionDenied } from '@latchkey/sdk'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, lazy, Suspense, useEffect, useState } from 'react'
import { serverFacts } from '../server-facts.ts'
import { Button } from '../ui/controls.tsx'
import { Problem } from '../ui/feedback.tsx'
import { CheckField, TextField } from '../ui/form/field.tsx'
import { enterAnonymously, type Session, signIn } from './session.ts'

const Bootstrap = lazy(() => import('./bootstrap.tsx'))
const BrowserLogin = lazy(() => import('./browser-login.tsx'))

/** The page for a person who has not signed in. Afterwards the page that they requested appears. */
export function SignInPage(props: { readonly session: Session; readonly onSubmit: () => void }) {
  const { session, onSubmit } = props
  const [secret, setSecret] = useState('')
  const [remember, setRemember] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const [isFirstTime, setFirstTime] = useState(false)
  const enter = useMutation({ mutationFn: () => signIn(secret.trim(), { remember }) })
  useEffect(() => {
    document.title = 'Sign in · Latchkey'
  }, [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setMissing(secret.trim() === '')
    if (secret.trim() === '') return
    onSubmit()
    enter.mutate()
  }
  const isUnknown = enter.error instanceof PermissionDenied
  return (
    <main className="gate">
      <div className="gate-box">
        <div className="gate-brand">
          <img src="/ui/icon.svg" alt="" />
          Latchkey
          {serverFacts.datacenter !== '' && <span className="badge">{serverFacts.datacenter}</span>}
        </div>
        <h1>Sign in</h1>
        <p className="secondary">
          Enter the secret of a token. It stays in this tab and is never put in a URL or a cookie.
        </p>
        {session.state === 'restoring' ? (
          <p role="status">Signing you in…</p>
        ) : (
          <form className="stack" onSubmit={submit} noValidate>
            {session.state === 'signedOut' && session.reason === 'ended' && !enter.error && (
              <div className="problem" data-tone="warn" role="status">
                <div style={{ gridColumn: '1 / -1' }}>
                  Your token has expired or was deleted. Sign in again to continue.
                </div>
              </div>
            )}
            <TextField
              label="Secret"
              type="password"
              name="secret"
              autoComplete="current-password"
              autoFocus
              value={secret}
              onValue={setSecret}
              error={
                isMissing
                  ? 'Enter the secret of a token.'
                  : isUnknown
                    ? 'The server does not know this secret. It may be mistyped, or its token has expired or was deleted.'
                    : undefined
              }
            />
            <CheckField
              label="Stay signed in until this tab is closed"
              hint="Stores the secret in the session storage of this tab."
              checked={remember}
              onValue={setRemember}
            />
            {enter.error && !isUnknown && <Problem error={enter.error} />}
            <Button type="submit" look="primary" busy={enter.isPending}>
              Sign in
            </Button>
            <Button look="quiet" onClick={enterAnonymously}>
              Continue without a token
            </Button>
          </form>
        )}
        {serverFacts.edition === 'extended' && (
          <Suspense fallback={null}>
            <BrowserLogin />
          </Suspense>
        )}
        <p className="gate-foot">
          First time on this server?{' '}
          <button type="button" className="link" onClick={() => setFirstTime(true)}>
            Create the first management token
          </button>
        </p>
      </div>
      {isFirstTime && (
        <Suspense fallback={null}>
          <Bootstrap onClose={() => setFirstTime(false)} />
        </Suspense>
      )}
    </main>
  )
}
