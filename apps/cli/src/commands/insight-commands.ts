import { SCALAR_RESOURCES } from '@latchkey/contract/plain'
import { type CommandGroup, option } from '../frame/command-spec.ts'

const RIGHT = '<access> <resource> [segment]'
const SCALARS = new Intl.ListFormat('en-GB').format(SCALAR_RESOURCES.map((kind) => `\`${kind}\``))
const RIGHT_DETAILS = `Access is \`read\` or \`write\`; for keys also \`list\` and \`write-prefix\`. Resources are \`acl\`, \`key\`, \`service\`, \`node\`, \`session\` and so on; all but ${SCALARS} need a segment: a name or path.`
const rules = [
  option('--rules <file>', 'the new rules: a file, - for standard input, or the text itself'),
  option('--rule <text>', 'a new rule (repeatable)', { isList: true }),
] as const

export const INSIGHT_COMMANDS: CommandGroup = {
  title: 'Rights',
  commands: [
    {
      usage: `can ${RIGHT}`,
      summary: 'check whether a token may do something, and show which rule decides',
      details: `${RIGHT_DETAILS} Exit code 0: yes, 3: no.`,
      options: [
        option('--accessor <id>', 'check this token instead of your own; needs acl:read', {
          misnomers: ['--token', '--token-id', '--for', '--as', '--id', '--who'],
        }),
      ],
      examples: ['can write acl', 'can read key web/port --accessor 7d43cfa2-fd87-1f29-c593-c49fa584eabc'],
      load: async () => (await import('../insight/ask.ts')).can,
    },
    {
      usage: `who-can ${RIGHT}`,
      summary: 'list the tokens that may do something',
      details: RIGHT_DETAILS,
      examples: ['who-can write acl', 'who-can read key web/port --output ndjson'],
      load: async () => (await import('../insight/ask.ts')).whoCan,
    },
    {
      usage: 'what-if <policy>',
      summary: 'list the tokens that would gain or lose rights if a policy had other rules',
      details: 'Changes nothing. Exit code 0: nothing would change, 2: something would.',
      options: rules,
      examples: [`what-if orders-read --rule 'key_prefix "orders/" { policy = "write" }'`],
      load: async () => (await import('../insight/ask.ts')).whatIf,
    },
    {
      usage: 'lint <file...>',
      summary: 'find errors and pitfalls in rules, without a server',
      details: 'Exit code 6: a policy with these rules would be refused.',
      examples: ['lint shop.hcl', 'lint policies/*.hcl --output json'],
      load: async () => (await import('../insight/rule-files.ts')).lint,
    },
    {
      usage: 'rules fmt <file...>',
      summary: 'print rules in the standard format, without a server',
      options: [
        option('--write', 'rewrite the files instead of printing'),
        option(
          '--check',
          'only print the names of files that are not formatted; exit code 2 if there are any',
        ),
      ],
      examples: ['rules fmt shop.hcl', 'rules fmt --check policies/*.hcl'],
      load: async () => (await import('../insight/rule-files.ts')).format,
    },
    {
      usage: 'rules translate <file>',
      summary: 'convert the rules of a legacy token to policy rules, without a server',
      details: 'Rules that legacy evaluation ignored become comments, because a policy would apply them.',
      options: [option('--keep-ignored', 'keep ignored rules as rules that take effect')],
      examples: ['rules translate legacy.hcl'],
      load: async () => (await import('../insight/rule-files.ts')).translate,
    },
  ],
}
