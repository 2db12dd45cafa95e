/** Arguments and options of the commands for each kind of record. */
import type { CommandSpec, OptionSpec } from '../frame/command-spec.ts'
import type { RecordActions } from './record-kind.ts'

export type Verb = keyof RecordActions

export interface KindCommands {
  readonly word: string
  readonly one: string
  readonly many: string
  /** The argument that names a record. */
  readonly reference: string
  /** Arguments of create; none if the service assigns the name. */
  readonly created: string
  /** Arguments of clone after the reference. */
  readonly cloned: string
  /** Options of create and update. */
  readonly content: readonly OptionSpec[]
  readonly createOnly?: readonly OptionSpec[]
  readonly updateOnly?: readonly OptionSpec[]
  readonly listOptions?: readonly OptionSpec[]
  readonly cloneOptions?: readonly OptionSpec[]
  readonly details?: Partial<Record<Verb, string>>
  readonly examples: Readonly<Record<Verb, readonly [string, ...string[]]>>
  readonly load: () => Promise<RecordActions>
  /** Commands beyond the six verbs. */
  readonly others?: readonly CommandSpec[]
}

const description: OptionSpec = { flags: '--description <text>', description: 'free-form description' }
const rename: OptionSpec = { flags: '--rename <name>', description: 'the new name' }

/** Options that set, add and remove links. */
function links(
  option: string,
  many: string,
): { readonly all: OptionSpec; readonly changes: readonly OptionSpec[] } {
  return {
    all: {
      flags: `--${option} <name>`,
      description: `a ${option} to link (repeatable)`,
      isList: true,
    },
    changes: [
      {
        flags: `--add-${option} <name>`,
        description: `link another ${option}, and keep the other ${many} (repeatable)`,
        isList: true,
      },
      {
        flags: `--remove-${option} <name>`,
        description: `remove the link to this ${option} (repeatable)`,
        isList: true,
      },
    ],
  }
}
const policies = links('policy', 'policies')
const roles = links('role', 'roles')
const identities: readonly OptionSpec[] = [
  {
    flags: '--service <name[:dc,…]>',
    description: 'a service identity, in all or some datacenters (repeatable)',
    isList: true,
  },
  { flags: '--node <name:dc>', description: 'a node identity (repeatable)', isList: true },
]

export const KIND_COMMANDS: readonly KindCommands[] = [
  {
    word: 'token',
    one: 'a token',
    many: 'tokens',
    reference: '<accessor>',
    created: '',
    cloned: '',
    content: [description, policies.all, roles.all, ...identities],
    createOnly: [
      {
        flags: '--ttl <duration>',
        description: 'how long the token is valid, such as 8h or 90m; 1 minute to 24 hours',
      },
      { flags: '--expires <instant>', description: 'when the token expires, such as 2030-01-01T12:00:00Z' },
      { flags: '--local', description: 'valid only in the datacenter of the server' },
      { flags: '--accessor <id>', description: 'the AccessorID (default: random)' },
    ],
    updateOnly: [...policies.changes, ...roles.changes],
    listOptions: [
      {
        flags: '--search <text>',
        description: 'only tokens with this text in their description, links or accessor',
      },
      { flags: '--policy <name>', description: 'only tokens that link this policy' },
      { flags: '--role <name>', description: 'only tokens that link this role' },
      { flags: '--auth-method <name>', description: 'only tokens created by logins through this method' },
      { flags: '--service <name>', description: 'only tokens with this service identity' },
      {
        flags: '--filter <expression>',
        description: 'terms Field==value joined by "and", such as Local==true',
      },
      { flags: '--sort <field>', description: 'CreateIndex, or -CreateIndex for the newest first' },
      { flags: '--limit <count>', description: 'print at most this many' },
    ],
    cloneOptions: [description],
    details: {
      create: 'The output hides the secret: to see it, run `token read ACCESSOR --show-secret`.',
      read: '`self` is the token that the command presents.',
      update:
        'Each option replaces the field that it names; all other fields stay the same. The lifetime of a token cannot change.',
    },
    examples: {
      create: [
        'token create --description "ci job" --ttl 8h',
        'token create --policy orders-read --role shop --ttl 90m',
      ],
      read: ['token read self', 'token read 7d43cfa2-fd87-1f29-c593-c49fa584eabc --show-secret'],
      update: [
        'token update self --description "on call"',
        'token update 7d43cfa2-fd87-1f29-c593-c49fa584eabc --add-policy orders-read',
      ],
      delete: ['token delete 7d43cfa2-fd87-1f29-c593-c49fa584eabc'],
      list: [
        'token list',
        'token list --role shop --sort -CreateIndex',
        'token list --template "{{AccessorID}}"',
      ],
      clone: ['token clone 7d43cfa2-fd87-1f29-c593-c49fa584eabc --description "a second one"'],
    },
    load: async () => (await import('./token.ts')).tokenActions,
  },
  {
    word: 'policy',
    one: 'a policy',
    many: 'policies',
    reference: '<policy>',
    created: '<name>',
    cloned: '<new-name>',
    content: [
      {
        flags: '--rules <file>',
        description: 'the rules: a file, - for standard input, or the text itself',
      },
      { flags: '--rule <text>', description: 'a rule (repeatable)', isList: true },
      description,
      {
        flags: '--valid-in <datacenter>',
        description: 'a datacenter where it applies (repeatable; default: all)',
        isList: true,
      },
    ],
    updateOnly: [rename],
    details: {
      update:
        'On a terminal, shows the tokens that would gain or lose rights, and asks for confirmation. In scripts, run `what-if` first to see them.',
    },
    examples: {
      create: [
        `policy create orders-read --rule 'key_prefix "orders/" { policy = "read" }'`,
        'policy create shop --rules shop.hcl --description "what the shop may do"',
      ],
      read: ['policy read orders-read'],
      update: [`policy update orders-read --rule 'key_prefix "orders/" { policy = "write" }'`],
      delete: ['policy delete orders-read'],
      list: ['policy list'],
      clone: ['policy clone orders-read orders-audit'],
    },
    load: async () => (await import('./policy.ts')).policyActions,
    others: [
      {
        usage: 'policy edit <policy>',
        summary: 'edit the rules of a new or existing policy in your editor',
        details:
          'Opens VISUAL, EDITOR or vi. Refuses invalid rules. On a terminal, shows the tokens that would gain or lose rights, and asks for confirmation.',
        examples: ['policy edit orders-read'],
        load: async () => (await import('./edit-policy.ts')).editPolicy,
      },
    ],
  },
  {
    word: 'role',
    one: 'a role',
    many: 'roles',
    reference: '<role>',
    created: '<name>',
    cloned: '<new-name>',
    content: [description, policies.all, ...identities],
    updateOnly: [rename, ...policies.changes],
    listOptions: [{ flags: '--policy <name>', description: 'only roles that link this policy' }],
    examples: {
      create: [
        'role create shop --description "the web shop"',
        'role create shop --policy orders-read --service web',
      ],
      read: ['role read shop'],
      update: ['role update shop --add-policy orders-read'],
      delete: ['role delete shop'],
      list: ['role list', 'role list --policy orders-read'],
      clone: ['role clone shop shop-staging'],
    },
    load: async () => (await import('./role.ts')).roleActions,
  },
  {
    word: 'namespace',
    one: 'a namespace',
    many: 'namespaces',
    reference: '<namespace>',
    created: '<name>',
    cloned: '<new-name>',
    content: [description, policies.all, roles.all],
    updateOnly: [...policies.changes, ...roles.changes],
    details: {
      create:
        'Namespaces need the extended edition. Every token in the namespace gets the policies and roles named here.',
    },
    examples: {
      create: ['namespace create team-a --description "team A"'],
      read: ['namespace read team-a'],
      update: ['namespace update team-a --add-policy orders-read'],
      delete: ['namespace delete team-a'],
      list: ['namespace list'],
      clone: ['namespace clone team-a team-b'],
    },
    load: async () => (await import('./namespace.ts')).namespaceActions,
  },
  {
    word: 'auth-method',
    one: 'an auth method',
    many: 'auth methods',
    reference: '<auth-method>',
    created: '<name>',
    cloned: '<new-name>',
    content: [
      {
        flags: '--type <type>',
        description: 'the kind of credential that it accepts',
        choices: ['jwt', 'kubernetes', 'oidc'],
      },
      { flags: '--config <file>', description: 'a YAML or JSON file with its configuration' },
      { flags: '--display-name <text>', description: 'name to show to people' },
      description,
      { flags: '--ttl <duration>', description: 'lifetime of the tokens that it creates, such as 8h' },
      {
        flags: '--locality <where>',
        description: 'where its tokens are valid',
        choices: ['local', 'global'],
      },
    ],
    examples: {
      create: ['auth-method create ci --type jwt --ttl 15m --config ci.yaml'],
      read: ['auth-method read ci'],
      update: ['auth-method update ci --ttl 30m'],
      delete: ['auth-method delete ci'],
      list: ['auth-method list'],
      clone: ['auth-method clone ci ci-staging'],
    },
    load: async () => (await import('./auth-method.ts')).authMethodActions,
  },
  {
    word: 'binding-rule',
    one: 'a binding rule',
    many: 'binding rules',
    reference: '<id>',
    created: '',
    cloned: '',
    content: [
      { flags: '--auth-method <name>', description: 'the auth method whose logins it applies to' },
      { flags: '--bind-type <type>', description: 'what it binds', choices: ['service', 'node', 'role'] },
      {
        flags: '--bind-name <name>',
        description: 'the name, in which claims are filled in, such as web-${value.region}',
      },
      {
        flags: '--selector <expression>',
        description: 'which logins it applies to, such as value.team == "ops" (default: all)',
      },
      description,
    ],
    listOptions: [{ flags: '--auth-method <name>', description: 'only rules for this method' }],
    cloneOptions: [{ flags: '--auth-method <name>', description: 'the auth method of the clone' }],
    examples: {
      create: [
        `binding-rule create --auth-method ci --bind-type role --bind-name shop --selector 'value.team == "shop"'`,
      ],
      read: ['binding-rule read 8fecefe3-2322-b083-c3c0-ae88e860cc26'],
      update: ['binding-rule update 8fecefe3-2322-b083-c3c0-ae88e860cc26 --bind-name shop-2'],
      delete: ['binding-rule delete 8fecefe3-2322-b083-c3c0-ae88e860cc26'],
      list: ['binding-rule list', 'binding-rule list --auth-method ci'],
      clone: ['binding-rule clone 8fecefe3-2322-b083-c3c0-ae88e860cc26 --auth-method ci-staging'],
    },
    load: async () => (await import('./binding-rule.ts')).bindingRuleActions,
  },
]
