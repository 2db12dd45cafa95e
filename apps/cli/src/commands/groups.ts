/** All commands, in the order of help and documentation. */
import type { CommandGroup } from '../frame/command-spec.ts'
import { RECORD_COMMANDS } from './record-commands.ts'

const ACCOUNT: CommandGroup = {
  title: 'Account',
  commands: [
    {
      usage: 'login [address]',
      summary: 'log in with a secret or through an auth method, and keep the token',
      details:
        'Asks for the secret without echoing it, or reads it from standard input. The token goes into the keyring of the system if there is one (secret-tool or security), else into the file of contexts, which only you can read.',
      options: [
        { flags: '--method <name>', description: 'log in through this auth method' },
        {
          flags: '--bearer-file <file>',
          description: 'the credential of the identity provider; else the browser opens',
        },
        {
          flags: '--redirect-uri <uri>',
          description: 'where the browser returns; default: http://127.0.0.1:8550/oidc/callback',
        },
        { flags: '--no-browser', description: 'print the address instead of opening a browser' },
        {
          flags: '--meta <name=value>',
          description: 'a text for the description of the token',
          isList: true,
        },
      ],
      examples: [
        'login --token-file secret.txt',
        'login https://acl.example.com --context production',
        'login --method ci --bearer-file /run/secrets/ci.jwt',
      ],
      load: async () => (await import('../context/account.ts')).login,
    },
    {
      usage: 'logout',
      summary: 'forget the token; one that a login made is deleted',
      examples: ['logout'],
      load: async () => (await import('../context/account.ts')).logout,
    },
    {
      usage: 'whoami',
      summary: 'show the token in use, where it comes from and until when it is valid',
      examples: ['whoami'],
      load: async () => (await import('../context/account.ts')).whoami,
    },
    {
      usage: 'context list',
      summary: 'list the servers that you work with',
      examples: ['context list'],
      load: async () => (await import('../context/account.ts')).listContexts,
    },
    {
      usage: 'context use <name>',
      summary: 'work with another server from now on',
      examples: ['context use production'],
      load: async () => (await import('../context/account.ts')).useContext,
    },
    {
      usage: 'context delete <name>',
      summary: 'forget a server and its token',
      examples: ['context delete staging'],
      load: async () => (await import('../context/account.ts')).deleteContext,
    },
  ],
}

const RIGHT = '<access> <resource> [segment]'
const RIGHT_DETAILS =
  'Access is `read` or `write`; for keys also `list` and `write-prefix`. Resources are `acl`, `key`, `service`, `node`, `session` and so on; all but `acl`, `keyring`, `mesh`, `operator` and `peering` need a segment, the name or path.'
const rules = [
  { flags: '--rules <file>', description: 'a file with the new rules, - for standard input' },
  { flags: '--rule <text>', description: 'a new rule; several times for several', isList: true },
] as const

const INSIGHT: CommandGroup = {
  title: 'Rights',
  commands: [
    {
      usage: `can ${RIGHT}`,
      summary: 'say whether a token may do something, and which rule decides',
      details: `${RIGHT_DETAILS} Exit code 0 is yes, 3 is no.`,
      options: [
        { flags: '--accessor <id>', description: 'ask for this token instead of your own; needs acl:read' },
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
      summary: 'find faults and surprises in rules, without a server',
      details: 'Exit code 6: a policy with these rules would be refused.',
      examples: ['lint shop.hcl', 'lint policies/*.hcl --output json'],
      load: async () => (await import('../insight/rule-files.ts')).lint,
    },
    {
      usage: 'rules fmt <file...>',
      summary: 'print rules in the one layout, without a server',
      options: [
        { flags: '--write', description: 'write the files instead of printing' },
        {
          flags: '--check',
          description: 'print the names of files that are not formatted; exit code 2 if there are any',
        },
      ],
      examples: ['rules fmt shop.hcl', 'rules fmt --check policies/*.hcl'],
      load: async () => (await import('../insight/rule-files.ts')).format,
    },
    {
      usage: 'rules translate <file>',
      summary: 'print the rules of a legacy token as rules of a policy, without a server',
      details: 'Rules that legacy evaluation ignored become comments, because a policy would apply them.',
      options: [{ flags: '--keep-ignored', description: 'let them take effect instead' }],
      examples: ['rules translate legacy.hcl'],
      load: async () => (await import('../insight/rule-files.ts')).translate,
    },
  ],
}

const KEYS: CommandGroup = {
  title: 'Keys',
  commands: [
    {
      usage: 'kv get <key>',
      summary: 'print the value of a key',
      options: [{ flags: '--details', description: 'print its flags and indexes too' }],
      examples: ['kv get web/port', 'kv get web/logo > logo.png'],
      load: async () => (await import('./kv.ts')).get,
    },
    {
      usage: 'kv put <key> [value]',
      summary: 'write a key',
      details: 'The value is the argument, the content of a file for @FILE, or standard input.',
      options: [
        {
          flags: '--cas <index>',
          description: 'only if its ModifyIndex is still this; 0: only if it does not exist',
        },
        { flags: '--flags <number>', description: 'a number to store with the value' },
      ],
      examples: ['kv put web/port 8080', 'kv put web/logo @logo.png'],
      load: async () => (await import('./kv.ts')).put,
    },
    {
      usage: 'kv delete <key>',
      summary: 'delete a key',
      options: [
        { flags: '--recurse', description: 'delete all keys that begin with it, after a question' },
        { flags: '--cas <index>', description: 'only if its ModifyIndex is still this' },
      ],
      examples: ['kv delete web/port', 'kv delete web/ --recurse'],
      load: async () => (await import('./kv.ts')).remove,
    },
    {
      usage: 'kv list [prefix]',
      summary: 'list keys',
      options: [
        { flags: '--separator <text>', description: 'one level of a tree, such as /' },
        { flags: '--values', description: 'with their values' },
      ],
      examples: ['kv list', 'kv list web/ --separator /'],
      load: async () => (await import('./kv.ts')).list,
    },
  ],
}

const filter = { flags: '--filter <expression>', description: 'only records that it is true of' } as const

const CATALOG: CommandGroup = {
  title: 'Services',
  commands: [
    {
      usage: 'node list',
      summary: 'list nodes',
      options: [filter],
      examples: ['node list'],
      load: async () => (await import('./catalog.ts')).listNodes,
    },
    {
      usage: 'service list',
      summary: 'list services with the status of their checks',
      examples: ['service list'],
      load: async () => (await import('./catalog.ts')).listServices,
    },
    {
      usage: 'service health <service>',
      summary: 'list the instances of a service with their checks',
      options: [{ flags: '--passing', description: 'only instances all of whose checks pass' }, filter],
      examples: ['service health consul', 'service health web --passing'],
      load: async () => (await import('./catalog.ts')).serviceHealth,
    },
    {
      usage: 'check list [status]',
      summary: 'list health checks: all, or those that are passing, warning or critical',
      options: [filter],
      examples: ['check list', 'check list critical'],
      load: async () => (await import('./catalog.ts')).listChecks,
    },
    {
      usage: 'intention list',
      summary: 'list which services may connect to which',
      options: [filter],
      examples: ['intention list'],
      load: async () => (await import('./catalog.ts')).listIntentions,
    },
    {
      usage: 'intention read <source> <destination>',
      summary: 'show an intention',
      examples: ['intention read web db'],
      load: async () => (await import('./catalog.ts')).readIntention,
    },
    {
      usage: 'intention write <source> <destination> <action>',
      summary: 'allow or deny connections between two services',
      options: [{ flags: '--description <text>', description: 'free text for people' }],
      examples: ['intention write web db allow'],
      load: async () => (await import('./catalog.ts')).writeIntention,
    },
    {
      usage: 'intention delete <source> <destination>',
      summary: 'delete an intention, after a question',
      examples: ['intention delete web db'],
      load: async () => (await import('./catalog.ts')).deleteIntention,
    },
    {
      usage: 'intention check <source> <destination>',
      summary: 'say whether one service may connect to another',
      details: 'Exit code 0 is yes, 3 is no.',
      examples: ['intention check web db'],
      load: async () => (await import('./catalog.ts')).checkIntention,
    },
  ],
}

const SERVER: CommandGroup = {
  title: 'Server',
  commands: [
    {
      usage: 'bootstrap',
      summary: 'create the first management token of a new server, and log in with it',
      details: 'Works once in the life of a server. The secret is kept like that of a login.',
      examples: ['bootstrap', 'bootstrap --address https://acl.example.com --context production'],
      load: async () => (await import('../context/account.ts')).bootstrap,
    },
    {
      usage: 'status',
      summary: 'show the server, its peers, replication and the upgrade',
      examples: ['status'],
      load: async () => (await import('./status.ts')).status,
    },
    {
      usage: 'watch <what> [name]',
      summary: 'print a record or a list now and whenever it changes, until Ctrl-C',
      details:
        'What: tokens, token, policies, policy, roles, role, key, keys, service, intentions. With --output ndjson, one line per state.',
      options: [{ flags: '--count <states>', description: 'stop after so many states' }],
      examples: ['watch policies --count 1', 'watch key web/port --output ndjson'],
      load: async () => (await import('./watch.ts')).watch,
    },
    {
      usage: 'completion <shell>',
      summary: 'print the completion script of bash, zsh or fish',
      examples: ['completion bash'],
      load: async () => (await import('../completion/actions.ts')).completion,
    },
    {
      usage: '__complete [words...]',
      summary: 'answer a completion script',
      examples: ['__complete -- token'],
      isHidden: true,
      load: async () => (await import('../completion/actions.ts')).completeWords(() => COMMAND_GROUPS),
    },
  ],
}

export const COMMAND_GROUPS: readonly CommandGroup[] = [
  ACCOUNT,
  RECORD_COMMANDS,
  INSIGHT,
  KEYS,
  CATALOG,
  SERVER,
]
