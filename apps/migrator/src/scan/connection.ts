/** The connection to a server, from options or the environment variables of the legacy command line. */
import { readFile } from 'node:fs/promises'
import { parseGoBool } from '@latchkey/contract'
import { EXIT, InputError, systemProblem } from '../errors.ts'

export interface ConnectionOptions {
  readonly from?: string | undefined
  readonly tokenFile?: string | undefined
  readonly caFile?: string | undefined
  readonly clientCert?: string | undefined
  readonly clientKey?: string | undefined
  readonly tlsServerName?: string | undefined
  readonly tlsVerify?: boolean
  readonly namespace?: string | undefined
  /** Seconds without a byte after which a request fails. */
  readonly timeout?: number
}

export interface Connection {
  /** Without credentials, query and `/v1`. */
  readonly address: URL
  readonly socketPath: string | undefined
  readonly token: string | undefined
  readonly namespace: string | undefined
  readonly timeoutMs: number
  readonly tls: {
    readonly ca: string | undefined
    readonly cert: string | undefined
    readonly key: string | undefined
    readonly servername: string | undefined
    readonly rejectUnauthorized: boolean
  }
}

type Environment = Readonly<Record<string, string | undefined>>

const TIMEOUT_S = 30
const ADVICE = 'needs the address of a server, such as http://127.0.0.1:8500'

/** Options take precedence over variables. @throws InputError, whose message never contains a value. */
export async function readConnection(options: ConnectionOptions, env: Environment): Promise<Connection> {
  const given = options.from ?? nonEmpty(env.CONSUL_HTTP_ADDR)
  if (given === undefined) throw new InputError(`--from, or the variable CONSUL_HTTP_ADDR, ${ADVICE}`)
  const isTls = flag('CONSUL_HTTP_SSL', env) ?? false
  const source = options.from === undefined ? 'CONSUL_HTTP_ADDR' : '--from'
  const { address, socketPath } = readAddress(given, isTls, source)
  const ca = options.caFile ?? nonEmpty(env.CONSUL_CACERT)
  const cert = options.clientCert ?? nonEmpty(env.CONSUL_CLIENT_CERT)
  const key = options.clientKey ?? nonEmpty(env.CONSUL_CLIENT_KEY)
  if ((cert === undefined) !== (key === undefined)) {
    throw new InputError('--client-cert and --client-key belong together')
  }
  const isVerified = options.tlsVerify === false ? false : flag('CONSUL_HTTP_SSL_VERIFY', env)
  return {
    address,
    socketPath,
    token: await readToken(options, env),
    namespace: options.namespace ?? nonEmpty(env.CONSUL_NAMESPACE),
    timeoutMs: (options.timeout ?? TIMEOUT_S) * 1_000,
    tls: {
      ca: await readOptional(ca, 'the CA certificate'),
      cert: await readOptional(cert, 'the client certificate'),
      key: await readOptional(key, 'the key of the client certificate'),
      servername: options.tlsServerName ?? nonEmpty(env.CONSUL_TLS_SERVER_NAME),
      rejectUnauthorized: isVerified ?? true,
    },
  }
}

async function readToken({ tokenFile }: ConnectionOptions, env: Environment): Promise<string | undefined> {
  const file =
    tokenFile ?? (env.LATCHKEY_TOKEN === undefined ? nonEmpty(env.CONSUL_HTTP_TOKEN_FILE) : undefined)
  const token = (await readOptional(file, 'the token')) ?? env.LATCHKEY_TOKEN ?? env.CONSUL_HTTP_TOKEN
  return nonEmpty(token?.trim())
}

async function readOptional(path: string | undefined, what: string): Promise<string | undefined> {
  if (path === undefined) return undefined
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new InputError(`cannot read ${what}: ${systemProblem(error)}`, {
      place: { file: path },
      exitCode: EXIT.failed,
    })
  })
}

/** The legacy command line also accepts `host:port` and `unix:///path`. */
function readAddress(
  given: string,
  isTls: boolean,
  source: string,
): { readonly address: URL; readonly socketPath: string | undefined } {
  if (given.startsWith('unix://')) {
    return { address: new URL('http://localhost'), socketPath: given.slice('unix://'.length) }
  }
  try {
    const address = new URL(given.includes('://') ? given : `${isTls ? 'https' : 'http'}://${given}`)
    if (address.protocol !== 'http:' && address.protocol !== 'https:') throw new TypeError('scheme')
    address.username = ''
    address.password = ''
    address.search = ''
    address.hash = ''
    address.pathname = address.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')
    return { address, socketPath: undefined }
  } catch {
    throw new InputError(`${source} ${ADVICE}`)
  }
}

function flag(name: string, env: Environment): boolean | undefined {
  const value = nonEmpty(env[name])
  const read = value === undefined ? undefined : parseGoBool(value)
  if (value !== undefined && read === undefined)
    throw new InputError(`the variable ${name} must be true or false`)
  return read
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}
