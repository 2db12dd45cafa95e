import { spawn } from 'node:child_process'
import type { Client, Token } from '@latchkey/sdk'
import {
  type Connection,
  type Context,
  changeContexts,
  contextFilePath,
  readContexts,
} from '../context/connection.ts'
import { CliError, EXIT } from '../frame/cli-error.ts'
import { type Action, type CommandGroup, option } from '../frame/command-spec.ts'
import type { Input } from '../frame/input.ts'
import { readInput } from '../frame/io.ts'
import type { Session } from '../frame/session.ts'
import { TOKEN_FIELDS } from '../records/kinds.ts'
import { readText } from '../records/read-body.ts'
import { expiryText } from '../records/time-text.ts'

const login: Action = async (session, input) => {
  const before = await session.connection()
  const address = input.args[0] ?? before.address
  const connection = { ...before, address, secret: undefined }
  const method = input.text('method')
  if (method !== undefined) {
    const token = await logIn(await session.connect(connection), method, input, session)
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

const logout: Action = async (session) => {
  const { contextName, context } = await session.connection()
  if (context === undefined) throw new CliError(`you are not logged in: there is no context ${contextName}`)
  if (context.isLogin) {
    const { PermissionDenied } = await import('@latchkey/sdk')
    await (await session.client()).logout().catch((error: unknown) => {
      // The token of the login is already gone.
      if (!(error instanceof PermissionDenied)) throw error
    })
  }
  const { address, namespace } = context
  changeContexts(session.io.env, ({ contexts, ...rest }) => ({
    ...rest,
    contexts: { ...contexts, [contextName]: { address, namespace } },
  }))
  await session.note(
    `Logged out of ${context.address}.${context.isLogin ? '' : ' The token itself still works. To revoke a token: latchkey token delete'}`,
  )
}

const whoami: Action = async (session) => {
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

const listContexts: Action = async (session) => {
  const { contexts, current } = readContexts(session.io.env)
  const rows = Object.entries(contexts).map(
    ([Name, { address, namespace = '', accessorId = '', secret }]) => ({
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

const useContext: Action = async (session, input) => {
  const current = input.arg(0)
  changeContexts(session.io.env, ({ contexts }) => {
    requireContext(contexts, current)
    return { contexts, current }
  })
  await session.note(`Commands now use the context ${current}.`)
}

const deleteContext: Action = async (session, input) => {
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

/** The redirect URL for the browser. Auth methods allow loopback hosts with any port. */
const REDIRECT_URIS = [8550, 8551, 8552].map((port) => `http://127.0.0.1:${port}/oidc/callback`)

/** Logs in with the content of `--bearer-file`, otherwise through the browser. */
async function logIn(client: Client, method: string, input: Input, session: Session): Promise<Token> {
  const path = input.text('bearerFile')
  const meta = metaOf(input.texts('meta') ?? [])
  if (path !== undefined) {
    const bearerToken = (await readText(path, session)).trim()
    return (await client.login({ method, bearerToken, meta })).tokens.self()
  }
  const { loginThroughBrowser } = await import('@latchkey/sdk/node')
  const redirectUri = input.text('redirectUri')
  const loggedIn = await loginThroughBrowser(client, {
    method,
    meta,
    redirectUris: redirectUri === undefined ? REDIRECT_URIS : [redirectUri],
    signal: session.io.signal,
    open: async (url) => {
      await session.note(`Complete the login in your browser:\n  ${url}`)
      if (input.flag('browser')) openBrowser(url)
    },
  })
  return loggedIn.tokens.self()
}

/** Opens the browser. Failures are ignored, because the address is printed too. */
function openBrowser(url: string): void {
  const command = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open'
  const child = spawn(command, [url], { detached: true, stdio: 'ignore' })
  child.on('error', () => undefined)
  child.unref()
}

function metaOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=')
      if (value.length === 0) throw new CliError(`--meta ${pair}: write it as name=value`)
      return [name, value.join('=')]
    }),
  )
}

export const ACCOUNT_COMMANDS: CommandGroup = {
  title: 'Account',
  commands: [
    {
      usage: 'login [address]',
      summary: 'log in with a secret or through an auth method, and save the token',
      details:
        'Asks for the secret without echoing it, or reads it from standard input. Stores the token in the contexts file, which only you can read.',
      options: [
        option('--method <name>', 'log in through this auth method'),
        option(
          '--bearer-file <file>',
          'a file with the credential from the identity provider; without it, the browser opens',
        ),
        option(
          '--redirect-uri <uri>',
          'where the browser returns; default: http://127.0.0.1:8550/oidc/callback',
        ),
        option('--no-browser', 'print the address instead of opening a browser'),
        option('--meta <name=value>', 'metadata to add to the description of the token', { isList: true }),
      ],
      examples: [
        'login --token-file secret.txt',
        'login https://acl.example.com --context production',
        'login --method ci --bearer-file /run/secrets/ci.jwt',
      ],
      run: login,
    },
    { usage: 'logout', summary: 'forget the token; delete it if a login created it', run: logout },
    {
      usage: 'whoami',
      summary: 'show the token in use, where it comes from and when it expires',
      run: whoami,
    },
    { usage: 'context list', summary: 'list the servers that you have logged in to', run: listContexts },
    {
      usage: 'context use <name>',
      summary: 'switch to another server',
      examples: ['context use production'],
      run: useContext,
    },
    {
      usage: 'context delete <name>',
      summary: 'forget a server and its token',
      examples: ['context delete staging'],
      run: deleteContext,
    },
  ],
}
