/** `login --method`: exchanges a credential of an identity provider for a token. */
import { spawn } from 'node:child_process'
import type { Client, Session as LoginSession, Token } from '@latchkey/sdk'
import { CliError } from '../frame/cli-error.ts'
import type { Input } from '../frame/input.ts'
import type { Session } from '../frame/session.ts'
import { readText } from '../records/read-body.ts'

/** The redirect URL for the browser. Auth methods allow loopback hosts with any port. */
const REDIRECT_URIS = [8550, 8551, 8552].map((port) => `http://127.0.0.1:${port}/oidc/callback`)

interface LoginWays {
  readonly method: string
  readonly input: Input
  readonly session: Session
}

/** Logs in with the content of `--bearer-file`, otherwise through the browser. */
export async function logIn(client: Client, { method, input, session }: LoginWays): Promise<Token> {
  const path = input.text('bearerFile')
  const meta = metaOf(input.texts('meta') ?? [])
  const loggedIn: LoginSession =
    path === undefined
      ? await throughBrowser(client, { method, meta, input, session })
      : await client.login({ method, bearerToken: (await readText(path, session)).trim(), meta })
  return loggedIn.tokens.self()
}

async function throughBrowser(
  client: Client,
  { method, meta, input, session }: LoginWays & { readonly meta: Record<string, string> },
): Promise<LoginSession> {
  const { loginThroughBrowser } = await import('@latchkey/sdk/node')
  const redirectUri = input.text('redirectUri')
  return loginThroughBrowser(client, {
    method,
    meta,
    redirectUris: redirectUri === undefined ? REDIRECT_URIS : [redirectUri],
    signal: session.io.signal,
    open: async (url) => {
      await session.note(`Complete the login in your browser:\n  ${url}`)
      if (input.flag('browser')) openBrowser(url)
    },
  })
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
