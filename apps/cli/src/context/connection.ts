/** Which server a command calls, and with which token: options, then the environment, then the context. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CliError, systemProblem } from '../frame/cli-error.ts'
import type { Input } from '../frame/input.ts'
import type { Io } from '../frame/io.ts'

const ADDRESS_DEFAULT = 'http://127.0.0.1:8500'
const CONTEXT_DEFAULT = 'default'

export interface Connection {
  readonly address: string
  /** The source of the address, for people. */
  readonly addressFrom: string
  readonly secret: string | undefined
  /** The source of the token, for people; without a token, the reason. */
  readonly tokenFrom: string
  readonly namespace: string | undefined
  readonly datacenter: string | undefined
  /** Name of the current context, which may not exist yet. */
  readonly contextName: string
  readonly context: Context | undefined
}

export function resolveConnection(input: Input, env: Io['env']): Connection {
  const { contexts, current } = readContexts(env)
  const chosen = input.text('context') ?? (env.LATCHKEY_CONTEXT || undefined)
  const contextName = chosen ?? current ?? CONTEXT_DEFAULT
  const context = contexts[contextName]
  const [address, addressFrom] = addressOf(input, env, context, contextName)
  const [secret, tokenFrom] = tokenOf(input, env, { contextName, context, address })
  return {
    ...{ address, addressFrom, secret, tokenFrom, contextName, context },
    namespace: input.text('namespace') ?? (env.LATCHKEY_NAMESPACE || undefined) ?? context?.namespace,
    datacenter: input.text('datacenter') ?? (env.LATCHKEY_DATACENTER || undefined),
  }
}

function addressOf(input: Input, env: Io['env'], context: Context | undefined, contextName: string) {
  const given = input.text('address')
  if (given !== undefined) return [given, '--address'] as const
  if (env.LATCHKEY_ADDR) return [env.LATCHKEY_ADDR, 'LATCHKEY_ADDR'] as const
  if (context !== undefined) return [context.address, `the context ${contextName}`] as const
  return [ADDRESS_DEFAULT, 'the default'] as const
}

function tokenOf(
  input: Input,
  env: Io['env'],
  { contextName, context, address }: Pick<Connection, 'contextName' | 'context' | 'address'>,
): readonly [secret: string | undefined, from: string] {
  const file = input.text('tokenFile')
  if (file !== undefined) return [readSecret(file), `the file ${file}`]
  if (env.LATCHKEY_TOKEN) return [env.LATCHKEY_TOKEN.trim(), 'LATCHKEY_TOKEN']
  if (env.LATCHKEY_TOKEN_FILE) return [readSecret(env.LATCHKEY_TOKEN_FILE), 'the file in LATCHKEY_TOKEN_FILE']
  if (context === undefined) return [undefined, 'you are not logged in']
  // A secret must not be sent to a server other than its own.
  const plain = (each: string) => each.replace(/\/+$/, '')
  if (plain(address) !== plain(context.address))
    return [undefined, `the token of the context ${contextName} is for ${context.address}`]
  const { secret } = context
  return [secret, secret === undefined ? 'you are not logged in' : `the context ${contextName}`]
}

export function readSecret(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new CliError(`cannot read the token from ${path}: ${systemProblem(error)}`, { cause: error })
  }
}

export interface Context {
  readonly address: string
  readonly namespace?: string | undefined
  /** The secret of the token; absent without a token. */
  readonly secret?: string | undefined
  readonly accessorId?: string | undefined
  /** Whether a login made the token, so that a logout deletes it. */
  readonly isLogin?: boolean | undefined
}

interface Contexts {
  readonly current?: string | undefined
  readonly contexts: Readonly<Record<string, Context>>
}

/** `LATCHKEY_CONTEXT_FILE`, otherwise `latchkey/contexts.json` in the user's configuration folder. */
export function contextFilePath(env: Io['env']): string {
  if (env.LATCHKEY_CONTEXT_FILE) return env.LATCHKEY_CONTEXT_FILE
  const folder = env.XDG_CONFIG_HOME || env.APPDATA || join(env.HOME || homedir(), '.config')
  return join(folder, 'latchkey', 'contexts.json')
}

/** @throws CliError if the file is unreadable, invalid, or contains secrets and is readable by other users. */
export function readContexts(env: Io['env']): Contexts {
  const path = contextFilePath(env)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { contexts: {} }
    throw new CliError(`cannot read ${path}: ${systemProblem(error)}`, { cause: error })
  }
  const contexts = parseContexts(text)
  if (contexts === undefined) {
    throw new CliError(`${path} is not a valid contexts file`, {
      hints: ['Remove it, and log in again: latchkey login'],
    })
  }
  const hasSecret = Object.values(contexts.contexts).some(({ secret }) => secret !== undefined)
  if (hasSecret && process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new CliError(`${path} contains a secret, and other users can read it`, {
      hints: [`Run: chmod 600 ${path}`],
    })
  }
  return contexts
}

function parseContexts(text: string): Contexts | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value) || !isObject(value.contexts)) return undefined
    const isWhole = Object.values(value.contexts).every(
      (context) => isObject(context) && typeof context.address === 'string',
    )
    return isWhole ? (value as unknown as Contexts) : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Changes the file atomically: after a crash, it is either the old or the new one. */
export function changeContexts(env: Io['env'], change: (before: Contexts) => Contexts): void {
  const path = contextFilePath(env)
  const draft = `${path}.${process.pid}`
  const contexts = change(readContexts(env))
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(draft, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600 })
    chmodSync(draft, 0o600)
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw new CliError(`cannot write ${path}: ${systemProblem(error)}`, { cause: error })
  }
}
