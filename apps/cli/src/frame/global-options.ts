/** Options that every command takes. */
import { FORMATS } from '../output/formats.ts'
import type { OptionSpec } from './command-spec.ts'

export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '-o, --output <format>',
    description: 'how to print the result; default: table',
    choices: FORMATS,
    misnomers: ['--format', '--json', '--yaml'],
  },
  { flags: '--template <text>', description: 'print this text per record, with fields such as {{Name}}' },
  {
    flags: '--show-secret',
    description: 'print secrets instead of <hidden>',
    misnomers: ['--reveal'],
  },
  {
    flags: '--context <name>',
    description: 'the context to use; else LATCHKEY_CONTEXT, else the current one',
  },
  {
    flags: '--address <url>',
    description: 'the server to call; else LATCHKEY_ADDR, else that of the context',
    misnomers: ['--addr', '--http-addr', '--server', '--host', '--url'],
  },
  {
    flags: '--token-file <file>',
    description: 'the token to present; else LATCHKEY_TOKEN, LATCHKEY_TOKEN_FILE, that of the context',
    misnomers: ['--token', '--secret', '--secret-id'],
  },
  {
    flags: '-n, --namespace <name>',
    description: 'the namespace to work in (extended edition)',
    misnomers: ['--ns'],
  },
  { flags: '--datacenter <name>', description: 'the datacenter to ask', misnomers: ['--dc'] },
  {
    flags: '-y, --yes',
    description: 'answer every question with yes',
    misnomers: ['--force', '--auto-approve'],
  },
  { flags: '-q, --quiet', description: 'print results and errors, but no remarks' },
  { flags: '--no-pager', description: 'do not page long output' },
]
