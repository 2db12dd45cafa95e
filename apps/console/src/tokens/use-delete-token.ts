/** Deletes a token at once, because its secret may have leaked, and offers to create it again with the same ids. */
import type { Client, Token } from '@latchkey/sdk'
import { type KnownToken, useClient } from '../session/session.ts'
import { messageOf } from '../ui/message-of.ts'
import { showToast } from '../ui/toast.tsx'

const UNDO_MS = 12_000
/** The service accepts expirations from one minute ahead on. */
const EXPIRATION_MIN_MS = 60_000

/** @returns a function that resolves to whether the token is gone; it shows failures. */
export function useDeleteToken(): (token: KnownToken) => Promise<boolean> {
  const client = useClient()
  return async ({ AccessorID }) => {
    try {
      const token = await client.tokens.read(AccessorID)
      await client.tokens.delete(AccessorID)
      offerUndo(client, token)
      return true
    } catch (error) {
      showToast({ text: messageOf(error), tone: 'danger' })
      return false
    }
  }
}

function offerUndo(client: Client, token: Token): void {
  const name = token.Description || token.AccessorID
  const undo = async () => {
    try {
      await client.tokens.create(recordOf(token))
      showToast({ text: `“${name}” works again.` })
    } catch (error) {
      showToast({ text: messageOf(error), tone: 'danger' })
    }
  }
  showToast({
    text: `Deleted “${name}”. Its secret no longer works.`,
    ...(canBeMadeAgain(token) && {
      durationMs: UNDO_MS,
      action: { label: 'Undo', onSelect: () => void undo() },
    }),
  })
}

/** Excludes tokens that only logins or the legacy API can create, and tokens with too little lifetime left. */
function canBeMadeAgain({ AuthMethod, Rules, ExpirationTime }: Token): boolean {
  const remainingMs =
    ExpirationTime === undefined ? Number.POSITIVE_INFINITY : Date.parse(ExpirationTime) - Date.now()
  return AuthMethod === undefined && Rules === undefined && remainingMs > EXPIRATION_MIN_MS + UNDO_MS
}

function recordOf(token: Token) {
  const { AccessorID, SecretID, Description, Local, Policies, Roles, ServiceIdentities, NodeIdentities } =
    token
  return {
    AccessorID,
    SecretID,
    Description,
    Local,
    ...(Policies ? { Policies: Policies.map(({ ID }) => ({ ID })) } : {}),
    ...(Roles ? { Roles: Roles.map(({ ID }) => ({ ID })) } : {}),
    ...(ServiceIdentities ? { ServiceIdentities } : {}),
    ...(NodeIdentities ? { NodeIdentities } : {}),
    ...(token.ExpirationTime === undefined ? {} : { ExpirationTime: token.ExpirationTime }),
    ...(token.Namespace === undefined ? {} : { Namespace: token.Namespace }),
  }
}
