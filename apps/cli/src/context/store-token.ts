/** Stores and removes the token of a context: in the keyring if there is one, otherwise in the file. */
import type { Token } from '@latchkey/sdk'
import type { Io } from '../frame/io.ts'
import { keyringAccount } from './connection.ts'
import { type Context, contextFilePath, readContexts, writeContexts } from './context-file.ts'
import { findKeyring } from './keyring.ts'

interface NewToken {
  readonly contextName: string
  readonly address: string
  readonly namespace: string | undefined
  readonly token: Pick<Token, 'AccessorID' | 'SecretID' | 'ExpirationTime'>
  readonly isLogin: boolean
}

/** Stores the token and makes its context current. @returns where the secret is stored, for people. */
export async function storeToken(env: Io['env'], options: NewToken): Promise<string> {
  const { contextName, address, namespace, token, isLogin } = options
  const path = contextFilePath(env)
  const keyring = findKeyring(env)
  const inKeyring = (await keyring?.write(keyringAccount(contextName, address), token.SecretID)) === true
  const context: Context = {
    address,
    ...(namespace === undefined ? {} : { namespace }),
    ...(inKeyring ? { inKeyring } : { secret: token.SecretID }),
    accessorId: token.AccessorID,
    ...(isLogin ? { isLogin } : {}),
    ...(token.ExpirationTime === undefined ? {} : { expirationTime: token.ExpirationTime }),
  }
  const { contexts } = readContexts(path)
  writeContexts(path, { current: contextName, contexts: { ...contexts, [contextName]: context } })
  return inKeyring && keyring !== undefined
    ? keyring.name
    : `${path}, which only you can read (no keyring found)`
}

/** Removes the secret; with `whole`, also the context. */
export async function forgetSecret(
  env: Io['env'],
  contextName: string,
  context: Context,
  { whole = false }: { readonly whole?: boolean } = {},
): Promise<void> {
  if (context.inKeyring) await findKeyring(env)?.remove(keyringAccount(contextName, context.address))
  const path = contextFilePath(env)
  const { contexts, current } = readContexts(path)
  const { [contextName]: _, ...others } = contexts
  const { address, namespace } = context
  const empty: Context = { address, ...(namespace === undefined ? {} : { namespace }) }
  writeContexts(path, {
    ...(current === undefined || (whole && current === contextName) ? {} : { current }),
    contexts: whole ? others : { ...others, [contextName]: empty },
  })
}
