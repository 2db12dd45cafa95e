/** The options of commands that read from a running server. */
import { type Command, InvalidArgumentError } from 'commander'
import { type ConnectionOptions, readConnection } from '../scan/connection.ts'
import { HttpReader } from '../scan/http-reader.ts'
import type { Io } from './io.ts'

export function addConnectionOptions(command: Command): Command {
  return command
    .option('--token-file <file>', 'file with a management token (default: $LATCHKEY_TOKEN)')
    .option('--ca-file <file>', 'certificates of the authorities to trust, in PEM')
    .option('--client-cert <file>', 'client certificate, in PEM')
    .option('--client-key <file>', 'key of the client certificate, in PEM')
    .option('--tls-server-name <name>', 'name that the certificate of the server must have')
    .option('--no-tls-verify', 'accept any certificate of the server')
    .option('--namespace <name>', 'namespace to read')
    .option('--timeout <seconds>', 'give up a request after this time without a byte', timeoutOption, 30)
}

/** Explains the variables in a help text. */
export const CONNECTION_HELP = `The environment variables of the legacy command line are the defaults of these options: CONSUL_HTTP_ADDR,
CONSUL_HTTP_TOKEN, CONSUL_HTTP_TOKEN_FILE, CONSUL_HTTP_SSL, CONSUL_HTTP_SSL_VERIFY, CONSUL_CACERT, CONSUL_CLIENT_CERT,
CONSUL_CLIENT_KEY, CONSUL_TLS_SERVER_NAME, CONSUL_NAMESPACE.`

export async function openReader(options: ConnectionOptions, io: Io): Promise<HttpReader> {
  return new HttpReader(await readConnection(options, io.env), io.signal)
}

function timeoutOption(text: string): number {
  const value = Number(text)
  if (!(value > 0 && value <= 3_600)) throw new InvalidArgumentError('Write seconds above 0, at most 3600.')
  return value
}
