/** `login`, `logout`, `whoami`, `bootstrap` and `context`: logins, and where they are stored. */
import type { Client, Token } from '@latchkey/sdk'
import { EXIT } from '../exit-codes.ts'
import { CliError } from '../frame/cli-error.ts'
import type { Action } from '../frame/command-spec.ts'
import { readInput } from '../frame/io.ts'
import type { Session } from '../frame/session.ts'
import { TOKEN_FIELDS } from '../records/kinds.ts'
import { expiryText } from '../records/time-text.ts'
import { logIn } from './auth-method-login.ts'
import type { Connection } from './connection.ts'
import { type Context, changeContexts, contextFilePath, readContexts } from './context-file.ts'

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
  const { env } = session.io
  const { AccessorID: accessorId, SecretID: secret } = token
  const context = { address, namespace, secret, accessorId, ...(isLogin ? { isLogin } : {}) }
  changeContexts(env, ({ contexts }) => ({
    current: contextName,
    contexts: { ...contexts, [contextName]: context },
  }))
  await session.note(
    `Logged in to ${address} as ${token.AccessorID}${token.Description === '' ? '' : ` (${token.Description})`}. ` +
      `Expires: ${expiryText(token.ExpirationTime)}.`,
  )
  await session.note(
    `The token is in ${contextFilePath(env)}, which only you can read, as context ${contextName}.`,
  )
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
  const { address, namespace } = context
  changeContexts(session.io.env, ({ contexts, ...rest }) => ({
    ...rest,
    contexts: { ...contexts, [contextName]: { address, namespace } },
  }))
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
  const { address, addressFrom, tokenFrom, namespace, contextName, secret } = await session.connection()
  const token = await (await session.client()).tokens.self()
  await session.out.record(token, [
    ...TOKEN_FIELDS,
    ['Server', () => `${address} (${addressFrom})`],
    ['Token from', () => (secret === undefined ? `none: ${tokenFrom}` : tokenFrom)],
    ['Context', () => contextName],
    ['Works in', () => (namespace === undefined ? '' : `namespace ${namespace}`)],
  ])
}

interface ContextRow {
  readonly Name: string
  readonly Current: boolean
  readonly Address: string
  readonly Namespace: string
  readonly AccessorID: string
  readonly Secret: 'file' | 'none'
}

export const listContexts: Action = async (session) => {
  const { contexts, current } = readContexts(session.io.env)
  const rows = Object.entries(contexts).map(
    ([Name, { address, namespace = '', accessorId = '', secret }]): ContextRow => ({
      Name,
      Current: Name === current,
      Address: address,
      Namespace: namespace,
      AccessorID: accessorId,
      Secret: secret === undefined ? 'none' : 'file',
    }),
  )
  await session.out.list(
    rows,
    [
      ['', ({ Current }) => (Current ? '*' : ' ')],
      ...(['Name', 'Address', 'Namespace', 'AccessorID'] as const),
      ['Secret in', ({ Secret }) => Secret],
    ],
    'No contexts. To create one: latchkey login',
  )
}

export const useContext: Action = async (session, input) => {
  const current = input.arg(0)
  changeContexts(session.io.env, ({ contexts }) => {
    requireContext(contexts, current)
    return { contexts, current }
  })
  await session.note(`Commands now use the context ${current}.`)
}

export const deleteContext: Action = async (session, input) => {
  const name = input.arg(0)
  const { address } = requireContext(readContexts(session.io.env).contexts, name)
  await session.confirm(
    `Delete context ${name}? Its token keeps working, but this machine forgets the secret.`,
  )
  changeContexts(session.io.env, ({ contexts: { [name]: _, ...contexts }, current }) => ({
    current: current === name ? undefined : current,
    contexts,
  }))
  await session.note(`Deleted context ${name} (${address}).`)
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
