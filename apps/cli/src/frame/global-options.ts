import { FORMATS } from '../output/printer.ts'
import { type OptionSpec, option } from './command-spec.ts'

export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  option('-o, --output <format>', 'how to print the result (default: table)', {
    choices: FORMATS,
    misnomers: ['--format', '--json', '--yaml'],
  }),
  option('--show-secret', 'print secrets instead of <hidden>', { misnomers: ['--reveal'] }),
  option('--context <name>', 'the context to use (default: LATCHKEY_CONTEXT, then the current context)'),
  option('--address <url>', 'the server to call (default: LATCHKEY_ADDR, then the address of the context)', {
    misnomers: ['--addr', '--http-addr', '--server', '--host', '--url'],
  }),
  option(
    '--token-file <file>',
    'a file with the secret to present (default: LATCHKEY_TOKEN, LATCHKEY_TOKEN_FILE, then the context)',
    { misnomers: ['--token', '--secret', '--secret-id'] },
  ),
  option('-n, --namespace <name>', 'the namespace to work in (extended edition)', { misnomers: ['--ns'] }),
  option('--datacenter <name>', 'the datacenter to send the request to', { misnomers: ['--dc'] }),
  option('-y, --yes', 'answer yes to every question', { misnomers: ['--force', '--auto-approve'] }),
  option('-q, --quiet', 'print results and errors only'),
]
