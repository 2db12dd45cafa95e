import { beginLogin, completeLogin } from '@latchkey/sdk/browser'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { Button } from '../ui/controls.tsx'
import { Problem } from '../ui/feedback.tsx'
import { TextField } from '../ui/form/field.tsx'
import { anonymousClient, enter } from './session.ts'

/** The page to which the identity provider redirects: one URL, which the login method must allow. */
const RETURN_PATH = '/ui/'

/** The login that began before a reload of this tab; its URL is read once. */
let returned: Promise<void> | undefined

async function completeReturn(): Promise<void> {
  const session = await completeLogin(anonymousClient)
  if (session) await enter(session)
}

/** Signs in at an OpenID provider: the extended edition has login methods with a browser flow. */
export default function BrowserLogin() {
  const [method, setMethod] = useState('')
  const begin = useMutation({
    mutationFn: () =>
      beginLogin(anonymousClient, { method, redirectUri: `${window.location.origin}${RETURN_PATH}` }),
  })
  const complete = useMutation({
    mutationFn: () => {
      returned ??= completeReturn()
      return returned
    },
  })
  const { mutate } = complete
  useEffect(() => mutate(), [mutate])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (method !== '') begin.mutate()
  }
  const error = begin.error ?? complete.error
  return (
    <form className="stack gate-second" onSubmit={submit}>
      <h2>Sign in with an identity provider</h2>
      <TextField
        label="Login method"
        hint="Its name, such as “people”."
        name="method"
        value={method}
        onValue={setMethod}
      />
      {error && <Problem error={error} />}
      <Button type="submit" busy={begin.isPending} disabled={method === ''}>
        Continue in the browser
      </Button>
    </form>
  )
}
