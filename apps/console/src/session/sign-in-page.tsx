import { PermissionDenied } from '@latchkey/sdk'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, lazy, Suspense, useEffect, useState } from 'react'
import { serverFacts } from '../server-facts.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/button.tsx'
import { Problem } from '../ui/feedback/problem.tsx'
import { CheckField, TextField } from '../ui/form/field.tsx'
import { enterAnonymously, type Session, signIn } from './session.ts'

const Bootstrap = lazy(() => import('./bootstrap.tsx'))
const BrowserLogin = lazy(() => import('./browser-login.tsx'))

interface SignInPageProps {
  readonly session: Session
  /** Called when a secret is submitted. */
  readonly onSubmit: () => void
}

/** The page for a person who has not signed in. Afterwards the page that they requested appears. */
export function SignInPage({ session, onSubmit }: SignInPageProps) {
  const [secret, setSecret] = useState('')
  const [remember, setRemember] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const [isFirstTime, setFirstTime] = useState(false)
  const enter = useMutation({ mutationFn: () => signIn(secret.trim(), { remember }) })
  useEffect(() => {
    document.title = texts.shell.tabTitle(texts.signIn.title)
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
          {texts.shell.product}
          {serverFacts.datacenter !== '' && <span className="badge">{serverFacts.datacenter}</span>}
        </div>
        <h1>{texts.signIn.title}</h1>
        <p className="secondary">{texts.signIn.lead}</p>
        {session.state === 'restoring' ? (
          <p role="status">{texts.signIn.restoring}</p>
        ) : (
          <form className="stack" onSubmit={submit} noValidate>
            {session.state === 'signedOut' && session.reason === 'ended' && !enter.error && (
              <div className="problem" data-tone="warn" role="status">
                <div style={{ gridColumn: '1 / -1' }}>{texts.signIn.ended}</div>
              </div>
            )}
            <TextField
              label={texts.signIn.secret}
              type="password"
              name="secret"
              autoComplete="current-password"
              autoFocus
              value={secret}
              onValue={setSecret}
              error={isMissing ? texts.signIn.secretMissing : isUnknown ? texts.signIn.unknown : undefined}
            />
            <CheckField
              label={texts.signIn.remember}
              hint={texts.signIn.rememberHint}
              checked={remember}
              onValue={setRemember}
            />
            {enter.error && !isUnknown && <Problem error={enter.error} />}
            <Button type="submit" look="primary" busy={enter.isPending}>
              {texts.signIn.submit}
            </Button>
            <Button look="quiet" onClick={enterAnonymously}>
              {texts.signIn.anonymous}
            </Button>
          </form>
        )}
        {serverFacts.edition === 'extended' && (
          <Suspense fallback={null}>
            <BrowserLogin />
          </Suspense>
        )}
        <p className="gate-foot">
          {texts.signIn.first}{' '}
          <button type="button" className="link" onClick={() => setFirstTime(true)}>
            {texts.signIn.bootstrap}
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
