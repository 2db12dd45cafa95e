/** Options that every command takes. */
import { FORMATS } from '../output/printer.ts'
import type { OptionSpec } from './command-spec.ts'

export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '-o, --output <format>',
    description: 'how to print the result (default: table)',
    choices: FORMATS,
    misnomers: ['--format', '--json', '--yaml'],
  },
  {
    flags: '--show-secret',
    description: 'print secrets instead of <hidden>',
    misnomers: ['--reveal'],
  },
  {
    flags: '--context <name>',
    description: 'the context to use (default: LATCHKEY_CONTEXT, then the current context)',
  },
  {
    flags: '--address <url>',
    description: 'the server to call (default: LATCHKEY_ADDR, then the address of the context)',
    misnomers: ['--addr', '--http-addr', '--server', '--host', '--url'],
  },
  {
    flags: '--token-file <file>',
    description:
      'a file with the secret to present (default: LATCHKEY_TOKEN, LATCHKEY_TOKEN_FILE, then the context)',
    misnomers: ['--token', '--secret', '--secret-id'],
  },
  {
    flags: '-n, --namespace <name>',
    description: 'the namespace to work in (extended edition)',
    misnomers: ['--ns'],
  },
  { flags: '--datacenter <name>', description: 'the datacenter to send the request to', misnomers: ['--dc'] },
  {
    flags: '-y, --yes',
    description: 'answer yes to every question',
    misnomers: ['--force', '--auto-approve'],
  },
  { flags: '-q, --quiet', description: 'print results and errors only' },
]
