/** Which server a command calls, and with which token: options, then the environment, then the context. */
import { readFileSync } from 'node:fs'
import { CliError, systemProblem } from '../frame/cli-error.ts'
import type { Input } from '../frame/input.ts'
import type { Io } from '../frame/io.ts'
import { type Context, readContexts } from './context-file.ts'

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
  const { contextName, context } = currentContext(input, env)
  const { address, addressFrom } = addressOf(input, env, context, contextName)
  return {
    address,
    addressFrom,
    ...tokenOf(input, env, { contextName, context, address }),
    namespace: input.text('namespace') ?? (env.LATCHKEY_NAMESPACE || undefined) ?? context?.namespace,
    datacenter: input.text('datacenter') ?? (env.LATCHKEY_DATACENTER || undefined),
    contextName,
    context,
  }
}

function currentContext(input: Input, env: Io['env']) {
  const { contexts, current } = readContexts(env)
  const chosen = input.text('context') ?? (env.LATCHKEY_CONTEXT || undefined)
  const contextName = chosen ?? current ?? CONTEXT_DEFAULT
  return { contextName, context: contexts[contextName] }
}

function addressOf(input: Input, env: Io['env'], context: Context | undefined, contextName: string) {
  const given = input.text('address')
  if (given !== undefined) return { address: given, addressFrom: '--address' }
  if (env.LATCHKEY_ADDR) return { address: env.LATCHKEY_ADDR, addressFrom: 'LATCHKEY_ADDR' }
  if (context !== undefined) return { address: context.address, addressFrom: `the context ${contextName}` }
  return { address: ADDRESS_DEFAULT, addressFrom: 'the default' }
}

function tokenOf(
  input: Input,
  env: Io['env'],
  { contextName, context, address }: Pick<Connection, 'contextName' | 'context' | 'address'>,
): Pick<Connection, 'secret' | 'tokenFrom'> {
  const file = input.text('tokenFile')
  if (file !== undefined) return { secret: readSecret(file), tokenFrom: `the file ${file}` }
  if (env.LATCHKEY_TOKEN) return { secret: env.LATCHKEY_TOKEN.trim(), tokenFrom: 'LATCHKEY_TOKEN' }
  if (env.LATCHKEY_TOKEN_FILE) {
    return { secret: readSecret(env.LATCHKEY_TOKEN_FILE), tokenFrom: 'the file in LATCHKEY_TOKEN_FILE' }
  }
  if (context === undefined) return { secret: undefined, tokenFrom: 'you are not logged in' }
  // A secret must not be sent to a server other than its own.
  if (!isSameAddress(address, context.address)) {
    return {
      secret: undefined,
      tokenFrom: `the token of the context ${contextName} is for ${context.address}`,
    }
  }
  const { secret } = context
  return { secret, tokenFrom: secret === undefined ? 'you are not logged in' : `the context ${contextName}` }
}

function isSameAddress(one: string, other: string): boolean {
  const plain = (address: string) => address.replace(/\/+$/, '')
  return plain(one) === plain(other)
}

function readSecret(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new CliError(`cannot read the token from ${path}: ${systemProblem(error)}`, { cause: error })
  }
}
