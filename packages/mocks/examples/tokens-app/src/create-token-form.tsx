import { type Client, LatchkeyError } from '@latchkey/sdk'
import { useActionState } from 'react'
import { messageOf } from './use-tokens.ts'

type Outcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'created'; readonly secretId: string }
  | { readonly kind: 'refused'; readonly message: string; readonly code: string | undefined }

/** Creates tokens. The form shows refusals in the service's words and repeats none of its rules. */
export function CreateTokenForm({ client }: { readonly client: Client }) {
  const [outcome, create, isPending] = useActionState<Outcome, FormData>(
    (_, form) => createFrom(client, form),
    { kind: 'none' },
  )
  return (
    <form action={create}>
      <label>
        Description <input name="description" required />
      </label>
      <label>
        Policy <input name="policy" placeholder="none" />
      </label>
      <label>
        Lifetime <input name="lifetime" placeholder="unlimited" size={8} />
      </label>
      <button type="submit" disabled={isPending}>
        {isPending ? 'Creating…' : 'Create'}
      </button>
      {outcome.kind === 'created' && (
        <output>
          Created. Its secret: <code>{outcome.secretId}</code>
        </output>
      )}
      {outcome.kind === 'refused' && (
        <p role="alert" data-code={outcome.code}>
          {outcome.message}
        </p>
      )}
    </form>
  )
}

async function createFrom(client: Client, form: FormData): Promise<Outcome> {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  const policy = text('policy')
  try {
    const token = await client.tokens.create({
      Description: text('description'),
      Policies: policy === '' ? [] : [{ Name: policy }],
      ExpirationTTL: text('lifetime') || undefined,
    })
    return { kind: 'created', secretId: token.SecretID }
  } catch (error) {
    const code = error instanceof LatchkeyError ? error.code : undefined
    return { kind: 'refused', message: messageOf(error), code }
  }
}
