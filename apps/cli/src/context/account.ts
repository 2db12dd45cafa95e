/** `login`, `logout`, `whoami`, `bootstrap` and `context`: logins, and where they are stored. */
import type { Client, Token } from '@latchkey/sdk'
import { EXIT } from '../exit-codes.ts'
import { CliError } from '../frame/cli-error.ts'
import type { Action } from '../frame/command-spec.ts'
import { readInput } from '../frame/io.ts'
import type { Session } from '../frame/session.ts'
import { expiryText } from '../records/time-text.ts'
import { TOKEN_FIELDS } from '../records/token.ts'
import { logIn } from './auth-method-login.ts'
import { type Connection, keyringAccount } from './connection.ts'
import { type Context, contextFilePath, readContexts, writeContexts } from './context-file.ts'
import { forgetSecret, storeToken } from './store-token.ts'

export const login: Action = async (session, input) => {
  const before = await session.connection()
  const address = input.args[0] ?? before.address
  const connection = { ...before, address, secret: undefined }
  const method = input.text('method')
  if (method !== undefined) {
    const client = await session.connect(connection)
    const token = await logIn(client, { method, input, session })
    return keepToken(session, connection, token, { isLogin: true })
  }
  const given = input.text('tokenFile') === undefined ? undefined : before.secret
  const secret = given ?? (await askForSecret(session, address))
  const token = await tokenOf(await session.connect({ ...connection, secret }), address)
  await keepToken(session, connection, { ...token, SecretID: secret }, { isLogin: false })
}

async function tokenOf(client: Client, address: string): Promise<Token> {
  const { PermissionDenied } = await import('@latchkey/sdk')
  return client.tokens.self().catch((error: unknown) => {
    if (!(error instanceof PermissionDenied)) throw error
    throw new CliError(
      `${address} knows no token with this secret: it is mistyped, or the token was deleted or has expired`,
      {
        exitCode: EXIT.denied,
        hints: [
          'Enter the SecretID of a token, not its AccessorID',
          'To log in through an auth method: latchkey login --method NAME',
        ],
        cause: error,
      },
    )
  })
}

async function askForSecret(session: Session, address: string): Promise<string> {
  const secret = session.isInteractive
    ? await session.askSecret(`SecretID of your token for ${address}:`)
    : (await readInput(session.io)).toString('utf8').trim()
  if (secret !== '') return secret
  throw new CliError('no secret was given', {
    hints: [
      'Enter the SecretID of a token, or read it from a file: latchkey login < FILE',
      'To log in through an auth method: latchkey login --method NAME',
      'On a new server, create the first token: latchkey bootstrap',
    ],
  })
}

async function keepToken(
  session: Session,
  { address, contextName, namespace }: Connection,
  token: Token,
  { isLogin }: { readonly isLogin: boolean },
): Promise<void> {
  const place = await storeToken(session.io.env, { contextName, address, namespace, token, isLogin })
  await session.note(
    `Logged in to ${address} as ${token.AccessorID}${token.Description === '' ? '' : ` (${token.Description})`}. ` +
      `Expires: ${expiryText(token.ExpirationTime)}.`,
  )
  await session.note(`The token is in ${place}, as context ${contextName}.`)
}

export const bootstrap: Action = async (session) => {
  const connection = await session.connection()
  const client = await session.connect({ ...connection, secret: undefined })
  const token = await client.bootstrap()
  await keepToken(session, connection, token, { isLogin: false })
  await session.out.record(token, TOKEN_FIELDS)
  if (!session.showsSecrets) {
    await session.note('Keep a copy of its secret in a safe place: latchkey whoami --show-secret')
  }
}

export const logout: Action = async (session) => {
  const { contextName, context } = await session.connection()
  if (context === undefined) throw new CliError(`you are not logged in: there is no context ${contextName}`)
  if (context.isLogin) await deleteLogin(session)
  await forgetSecret(session.io.env, contextName, context)
  await session.note(
    `Logged out of ${context.address}.${context.isLogin ? '' : ' The token itself still works. To revoke a token: latchkey token delete'}`,
  )
}

/** Deletes the token of a login, unless it is already gone. */
async function deleteLogin(session: Session): Promise<void> {
  const { PermissionDenied } = await import('@latchkey/sdk')
  try {
    await (await session.client()).logout()
  } catch (error) {
    if (!(error instanceof PermissionDenied)) throw error
  }
}

export const whoami: Action = async (session) => {
  const connection = await session.connection()
  const { address, addressFrom, tokenFrom, namespace, contextName, secret } = connection
  const client: Client = await session.client()
  const token = await client.tokens.self()
  const place = [
    { title: 'Server', text: () => `${address} (${addressFrom})` },
    { title: 'Token from', text: () => (secret === undefined ? `none: ${tokenFrom}` : tokenFrom) },
    { title: 'Context', text: () => contextName },
    { title: 'Works in', text: () => (namespace === undefined ? '' : `namespace ${namespace}`) },
  ]
  await session.out.record(token, [...TOKEN_FIELDS, ...place])
}

interface ContextRow {
  readonly Name: string
  readonly Current: boolean
  readonly Address: string
  readonly Namespace: string
  readonly AccessorID: string
  readonly Secret: 'keyring' | 'file' | 'none'
}

export const listContexts: Action = async (session) => {
  const { contexts, current } = readContexts(contextFilePath(session.io.env))
  const rows = Object.entries(contexts).map(
    ([Name, { address, namespace = '', accessorId = '', inKeyring, secret }]): ContextRow => ({
      Name,
      Current: Name === current,
      Address: address,
      Namespace: namespace,
      AccessorID: accessorId,
      Secret: inKeyring ? 'keyring' : secret === undefined ? 'none' : 'file',
    }),
  )
  await session.out.list(
    rows,
    [
      { title: '', text: ({ Current }) => (Current ? '*' : ' ') },
      { title: 'Name', text: ({ Name }) => Name },
      { title: 'Address', text: ({ Address }) => Address },
      { title: 'Namespace', text: ({ Namespace }) => Namespace },
      { title: 'AccessorID', text: ({ AccessorID }) => AccessorID },
      { title: 'Secret in', text: ({ Secret }) => Secret },
    ],
    'No contexts. To create one: latchkey login',
  )
}

export const useContext: Action = async (session, input) => {
  const path = contextFilePath(session.io.env)
  const all = readContexts(path)
  requireContext(all.contexts, input.arg(0))
  writeContexts(path, { ...all, current: input.arg(0) })
  await session.note(`Commands now use the context ${input.arg(0)}.`)
}

export const deleteContext: Action = async (session, input) => {
  const name = input.arg(0)
  const context = requireContext(readContexts(contextFilePath(session.io.env)).contexts, name)
  await session.confirm(
    `Delete context ${name}? Its token keeps working, but this machine forgets the secret.`,
  )
  await forgetSecret(session.io.env, name, context, { whole: true })
  await session.note(`Deleted context ${name} (${keyringAccount(name, context.address)}).`)
}

function requireContext(contexts: Readonly<Record<string, Context>>, name: string): Context {
  const context = contexts[name]
  if (context !== undefined) return context
  const names = Object.keys(contexts).join(', ') || 'none'
  throw new CliError(`there is no context ${name}`, {
    exitCode: EXIT.notFound,
    hints: [`There are: ${names}`],
  })
}
