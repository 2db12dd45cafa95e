/** Who is signed in. The secret is in memory, and in the tab's session storage if the person chooses so. */
import { type Client, createClient, PermissionDenied, type Token } from '@latchkey/sdk'
import { createContext, use } from 'react'
import { connectionLogger } from '../live/connection.ts'
import { sharedState } from '../live/shared-state.ts'
import { serverFacts } from '../server-facts.ts'
import { hasUnsaved } from '../ui/form/unsaved.ts'

/** A token without its secret: the only form in which the console keeps one. */
export type KnownToken = Omit<Token, 'SecretID'>

/** `restoring`: the tab has an earlier secret, which is being tried. */
export type Session =
  | { readonly state: 'signedOut'; readonly reason?: 'ended' }
  | { readonly state: 'restoring' }
  | {
      readonly state: 'signedIn'
      readonly client: Client
      readonly token: KnownToken | undefined
      /** The token expired or was deleted, and the page stays to keep what was typed. */
      readonly hasEnded?: true
    }

const STORED = 'latchkey.secret'

export const anonymousClient: Client = createClient({
  address: window.location.origin,
  headerPrefix: serverFacts.headerPrefix,
  // A person is waiting: fail sooner than for a program.
  timeout: 15_000,
  retries: 2,
  logger: connectionLogger,
})

const session = sharedState<Session>({
  state: sessionStorage.getItem(STORED) === null ? 'signedOut' : 'restoring',
})

export function useSession(): Session {
  return session.use()
}

export const ClientContext = createContext<Client>(anonymousClient)

/** The client of the person who is signed in, in the namespace of the page. */
export function useClient(): Client {
  return use(ClientContext)
}

/** Signs in. @param remember keep the secret in the session storage, for a reload. @throws PermissionDenied if it is unknown */
export async function signIn(secret: string, { remember }: { readonly remember: boolean }): Promise<void> {
  const client = anonymousClient.withToken(secret)
  const token = withoutSecret(await client.tokens.self())
  if (remember) sessionStorage.setItem(STORED, secret)
  session.set({ state: 'signedIn', client, token })
}

export async function enter(client: Client): Promise<void> {
  session.set({ state: 'signedIn', client, token: withoutSecret(await client.tokens.self()) })
}

/** Enters without a token, with the rights that everyone has. */
export function enterAnonymously(): void {
  session.set({ state: 'signedIn', client: anonymousClient, token: undefined })
}

/** @param reason `ended`: the token expired or was deleted. */
export function signOut(reason?: 'ended'): void {
  sessionStorage.removeItem(STORED)
  session.set(reason === undefined ? { state: 'signedOut' } : { state: 'signedOut', reason })
}

/** Handles a token that expired or was deleted. The page stays while it has unsaved input, until somebody signs in again. */
export function endSession(): void {
  const ended = session.get()
  if (ended.state !== 'signedIn' || !hasUnsaved()) {
    signOut('ended')
    return
  }
  sessionStorage.removeItem(STORED)
  session.set({ ...ended, hasEnded: true })
}

/** Signs in with the secret that the tab kept. If the server cannot be reached, the secret stays there. */
export async function restore(): Promise<void> {
  const secret = sessionStorage.getItem(STORED)
  if (secret === null) return
  try {
    await signIn(secret, { remember: true })
  } catch (error) {
    if (error instanceof PermissionDenied) signOut('ended')
    else session.set({ state: 'signedOut' })
  }
}

export function withoutSecret({ SecretID: _, ...token }: Token): KnownToken {
  return token
}
