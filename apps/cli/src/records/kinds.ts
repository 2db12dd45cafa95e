/** The kinds of records: arguments and options of their commands, and what tables show of them. */
import type * as sdk from '@latchkey/sdk'
import { CliError } from '../frame/cli-error.ts'
import { type FieldOption, type OptionSpec, option } from '../frame/command-spec.ts'
import type { Input } from '../frame/input.ts'
import type { Column } from '../output/table.ts'
import { type Fields, findRecord, type KindName } from './find.ts'
import * as links from './links.ts'
import { givenRules, readRecord } from './read-body.ts'
import { expiryText, shortExpiryText } from './time-text.ts'

export type Verb = 'create' | 'read' | 'update' | 'delete' | 'list' | 'clone'

/** @typeParam R a record as read, L one as listed, B a body. */
interface Kind<R, L, B> {
  readonly word: KindName
  /** The argument that names a record; absent: people choose a name, which is an argument of create and clone too. */
  readonly reference?: string
  readonly content: readonly FieldOption<B>[]
  readonly createOnly?: readonly FieldOption<B>[]
  readonly updateOnly?: readonly FieldOption<B>[]
  readonly cloneOptions?: readonly FieldOption<B>[]
  readonly listOptions?: readonly OptionSpec[]
  query?(client: sdk.Client, input: Input): Promise<object>
  readonly details?: Partial<Record<Verb, string>>
  readonly example: string
  /** Absent for a verb: the verb with that reference. */
  readonly examples: Partial<Record<Verb, readonly [string, ...string[]]>>
  readonly columns: readonly Column<L>[]
  readonly fields: readonly Column<R>[]
  /** The name in messages; absent: Name. */
  labelOf?(record: R): string
  /** Side effects of a delete, as a sentence. */
  readonly deleteWarning: string
}
export function manyOf(word: KindName): string {
  return word === 'policy' ? 'policies' : `${word.replace('-', ' ')}s`
}

export type RecordKind = Kind<Fields, Fields, Fields>

/** Hides the record types of a kind. */
function kind<R, L, B>(own: Kind<R, L, B>): RecordKind {
  // Each kind only receives records of its own.
  return own as unknown as RecordKind
}

const description = option<{ Description: unknown }>('--description <text>', 'free-form description', {
  field: 'Description',
})
const rename = option<{ Name: unknown }>('--rename <name>', 'the new name', { field: 'Name' })
const rules: readonly FieldOption<{ Rules: unknown }>[] = [
  option('--rules <file>', 'the rules: a file, - for standard input, or the text itself', {
    field: 'Rules',
    read: (input, _, session) => givenRules(input, session),
  }),
  option('--rule <text>', 'a rule (repeatable)', { isList: true }),
]

const linksOption = <F extends string>(word: 'policy' | 'role', field: F) =>
  option<Record<F, readonly links.Link[] | undefined>>(`--${word} <name>`, `a ${word} to link (repeatable)`, {
    isList: true,
    field,
    read: (input, before) => links.changedLinks(before[field], word, input),
  })
const linkChanges = (word: 'policy' | 'role', many: string): readonly OptionSpec[] => [
  option(`--add-${word} <name>`, `link another ${word}, and keep the other ${many} (repeatable)`, {
    isList: true,
  }),
  option(`--remove-${word} <name>`, `remove the link to this ${word} (repeatable)`, { isList: true }),
]
const policies = linksOption('policy', 'Policies')
const roles = linksOption('role', 'Roles')
const policyChanges = linkChanges('policy', 'policies')
const roleChanges = linkChanges('role', 'roles')
const identities: readonly FieldOption<{ ServiceIdentities: unknown; NodeIdentities: unknown }>[] = [
  option('--service <name[:dc,…]>', 'a service identity, in all or some datacenters (repeatable)', {
    isList: true,
    field: 'ServiceIdentities',
    read: (input) => links.serviceIdentities(input.texts('service')),
  }),
  option('--node <name:dc>', 'a node identity (repeatable)', {
    isList: true,
    field: 'NodeIdentities',
    read: (input) => links.nodeIdentities(input.texts('node')),
  }),
]

async function idOf(client: sdk.Client, word: 'policy' | 'role', input: Input) {
  const name = input.text(word)
  return name === undefined ? {} : { [word]: (await findRecord(client, word, name)).ID }
}

const ID = '7d43cfa2-fd87-1f29-c593-c49fa584eabc'
const RULE_ID = '8fecefe3-2322-b083-c3c0-ae88e860cc26'

const TOKEN = kind<sdk.Token, sdk.TokenListEntry, sdk.TokenCreate>({
  word: 'token',
  example: ID,
  reference: 'accessor',
  content: [description, policies, roles, ...identities],
  createOnly: [
    option('--ttl <duration>', 'how long the token is valid, such as 8h or 90m; 1 minute to 24 hours', {
      field: 'ExpirationTTL',
    }),
    option('--expires <instant>', 'when the token expires, such as 2030-01-01T12:00:00Z', {
      field: 'ExpirationTime',
      read: (input) => instantOf(input.text('expires')),
    }),
    option('--local', 'valid only in the datacenter of the server', {
      field: 'Local',
      read: (input) => (input.flag('local') ? true : undefined),
    }),
    option('--accessor <id>', 'the AccessorID (default: random)', { field: 'AccessorID' }),
  ],
  updateOnly: [...policyChanges, ...roleChanges],
  cloneOptions: [description],
  listOptions: [
    option('--search <text>', 'only tokens with this text in their description, links or accessor'),
    option('--policy <name>', 'only tokens that link this policy'),
    option('--role <name>', 'only tokens that link this role'),
    option('--auth-method <name>', 'only tokens created by logins through this method'),
    option('--service <name>', 'only tokens with this service identity'),
    option('--filter <expression>', 'terms Field==value joined by "and", such as Local==true'),
    option('--sort <field>', 'CreateIndex, or -CreateIndex for the newest first'),
    option('--limit <count>', 'print at most this many'),
  ],
  query: async (client, input) => ({
    ...(await idOf(client, 'policy', input)),
    ...(await idOf(client, 'role', input)),
    authmethod: input.text('authMethod'),
    servicename: input.text('service'),
    filter: input.text('filter'),
    sort: input.text('sort'),
  }),
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
    read: ['token read self', `token read ${ID} --show-secret`],
    update: ['token update self --description "on call"', `token update ${ID} --add-policy orders-read`],
    list: ['token list', 'token list --role shop --sort -CreateIndex'],
    clone: [`token clone ${ID} --description "a second one"`],
  },
  columns: [
    'AccessorID',
    'Description',
    ['Expires', ({ ExpirationTime }) => shortExpiryText(ExpirationTime)],
    ['Rights from', (token) => (token.Legacy ? 'legacy rules' : links.rightsText(token))],
  ],
  fields: [
    ...(['AccessorID', 'SecretID', 'Namespace', 'Description'] as const),
    ...links.linkFields,
    ['Legacy rules', ({ Rules }) => (Rules ? `${Rules}\n` : '')],
    ['Auth method', ({ AuthMethod = '' }) => AuthMethod],
    ['Local', ({ Local }) => (Local ? 'yes: valid in its own datacenter only' : '')],
    ['Expires', ({ ExpirationTime }) => expiryText(ExpirationTime)],
    ['Created', ({ CreateTime }) => CreateTime],
  ],
  labelOf: ({ AccessorID, Description }) =>
    Description === '' ? AccessorID : `${AccessorID} (${Description})`,
  deleteWarning: 'Clients that present it will be refused at once.',
})

/** Refuses a lifetime where an instant is expected. The server checks other texts. */
function instantOf(text: string | undefined): string | undefined {
  if (text === undefined || !/^\d+[a-z]/i.test(text)) return text
  throw new CliError(`--expires takes an instant, and "${text}" is a lifetime`, {
    hints: [`Write --ttl ${text}`],
  })
}

const POLICY = kind<sdk.Policy, sdk.PolicyListEntry, sdk.PolicyCreate>({
  word: 'policy',
  example: 'orders-read',
  content: [
    ...rules,
    description,
    option('--valid-in <datacenter>', 'a datacenter where it applies (repeatable; default: all)', {
      isList: true,
      field: 'Datacenters',
      read: (input) => input.texts('validIn'),
    }),
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
    update: [`policy update orders-read --rule 'key_prefix "orders/" { policy = "write" }'`],
    clone: ['policy clone orders-read orders-audit'],
  },
  columns: ['Name', 'ID', 'Description'],
  fields: [
    ...(['Name', 'ID', 'Namespace', 'Description'] as const),
    ['Datacenters', ({ Datacenters }) => (Datacenters ?? []).join(', ')],
    ['Rules', ({ Rules }) => (Rules === '' ? 'none' : `${Rules}\n`)],
  ],
  deleteWarning: 'Tokens and roles that link it lose its rights.',
})

const ROLE = kind<sdk.Role, sdk.Role, sdk.RoleCreate>({
  word: 'role',
  example: 'shop',
  content: [description, policies, ...identities],
  updateOnly: [rename, ...policyChanges],
  listOptions: [option('--policy <name>', 'only roles that link this policy')],
  query: (client, input) => idOf(client, 'policy', input),
  examples: {
    create: [
      'role create shop --description "the web shop"',
      'role create shop --policy orders-read --service web',
    ],
    update: ['role update shop --add-policy orders-read'],
    list: ['role list', 'role list --policy orders-read'],
    clone: ['role clone shop shop-staging'],
  },
  columns: ['Name', 'ID', ['Rights from', links.rightsText], 'Description'],
  fields: [...(['Name', 'ID', 'Namespace', 'Description'] as const), ...links.linkFields],
  deleteWarning: 'The tokens that have it lose its rights.',
})

const NAMESPACE = kind<sdk.Namespace, sdk.Namespace, sdk.NamespaceCreate>({
  word: 'namespace',
  example: 'team-a',
  content: [
    description,
    {
      ...policies,
      field: 'ACLs',
      read(input, { ACLs = {} }) {
        const PolicyDefaults = links.changedLinks(ACLs.PolicyDefaults, 'policy', input)
        const RoleDefaults = links.changedLinks(ACLs.RoleDefaults, 'role', input)
        if (PolicyDefaults === undefined && RoleDefaults === undefined) return undefined
        return { ...(PolicyDefaults && { PolicyDefaults }), ...(RoleDefaults && { RoleDefaults }) }
      },
    },
    option(roles.flags, roles.description, { isList: true }),
  ],
  updateOnly: [...policyChanges, ...roleChanges],
  details: {
    create:
      'Namespaces need the extended edition. Every token in the namespace gets the policies and roles named here.',
  },
  examples: {
    create: ['namespace create team-a --description "team A"'],
    update: ['namespace update team-a --add-policy orders-read'],
    clone: ['namespace clone team-a team-b'],
  },
  columns: [
    'Name',
    ['Policies', ({ ACLs }) => links.linkNames(ACLs.PolicyDefaults)],
    ['Roles', ({ ACLs }) => links.linkNames(ACLs.RoleDefaults)],
    'Description',
  ],
  fields: [
    'Name',
    'Description',
    ['Policies of every token', ({ ACLs }) => links.linkNames(ACLs.PolicyDefaults)],
    ['Roles of every token', ({ ACLs }) => links.linkNames(ACLs.RoleDefaults)],
  ],
  deleteWarning: 'It must be empty.',
})

const AUTH_METHOD = kind<sdk.AuthMethod, sdk.AuthMethodListEntry, sdk.AuthMethodCreate>({
  word: 'auth-method',
  example: 'ci',
  content: [
    {
      flags: '--type <type>',
      description: 'the kind of credential that it accepts',
      choices: ['jwt', 'kubernetes', 'oidc'],
      field: 'Type',
      read(input, { Type }) {
        const type = input.text('type') ?? Type
        if (type === undefined)
          throw new CliError('the type of the method is missing: --type jwt, kubernetes or oidc')
        return type
      },
    },
    {
      flags: '--config <file>',
      description: 'a YAML or JSON file with its configuration',
      field: 'Config',
      async read(input, _, session) {
        const path = input.text('config')
        if (path === undefined) return undefined
        const { createAuthMethodSchema } = await import('@latchkey/contract')
        return readRecord(path, createAuthMethodSchema.shape.Config, session)
      },
    },
    option('--display-name <text>', 'name to show to people', { field: 'DisplayName' }),
    description,
    option('--ttl <duration>', 'lifetime of the tokens that it creates, such as 8h', {
      field: 'MaxTokenTTL',
    }),
    option('--locality <where>', 'where its tokens are valid', {
      choices: ['local', 'global'],
      field: 'TokenLocality',
    }),
  ],
  examples: {
    create: ['auth-method create ci --type jwt --ttl 15m --config ci.yaml'],
    update: ['auth-method update ci --ttl 30m'],
    clone: ['auth-method clone ci ci-staging'],
  },
  columns: [
    'Name',
    'Type',
    ['Token lifetime', ({ MaxTokenTTL = 'unlimited' }) => MaxTokenTTL],
    'Description',
  ],
  fields: [
    'Name',
    'Type',
    ['Display name', ({ DisplayName = '' }) => DisplayName],
    'Namespace',
    'Description',
    ['Token lifetime', ({ MaxTokenTTL = 'unlimited' }) => MaxTokenTTL],
    ['Token locality', ({ TokenLocality = 'local' }) => TokenLocality],
    'Config',
  ],
  deleteWarning: 'This also deletes its binding rules and revokes all tokens that it created.',
})

const bindsText = ({ BindType, BindName }: sdk.BindingRule) => `${BindType} ${BindName}`
const selects: Column<sdk.BindingRule> = ['Selects', ({ Selector }) => Selector || 'every login']

const BINDING_RULE = kind<sdk.BindingRule, sdk.BindingRule, sdk.BindingRuleCreate>({
  word: 'binding-rule',
  example: RULE_ID,
  reference: 'id',
  content: [
    option('--auth-method <name>', 'the auth method whose logins it applies to', { field: 'AuthMethod' }),
    option('--bind-type <type>', 'what it binds', {
      choices: ['service', 'node', 'role'],
      field: 'BindType',
    }),
    option('--bind-name <name>', 'the name, in which claims are filled in, such as web-${value.region}', {
      field: 'BindName',
    }),
    option(
      '--selector <expression>',
      'which logins it applies to, such as value.team == "ops" (default: all)',
      { field: 'Selector' },
    ),
    description,
  ],
  cloneOptions: [option('--auth-method <name>', 'the auth method of the clone', { field: 'AuthMethod' })],
  listOptions: [option('--auth-method <name>', 'only rules for this method')],
  query: async (_, input) => ({ authmethod: input.text('authMethod') }),
  examples: {
    create: [
      `binding-rule create --auth-method ci --bind-type role --bind-name shop --selector 'value.team == "shop"'`,
    ],
    update: [`binding-rule update ${RULE_ID} --bind-name shop-2`],
    list: ['binding-rule list', 'binding-rule list --auth-method ci'],
    clone: [`binding-rule clone ${RULE_ID} --auth-method ci-staging`],
  },
  columns: [
    'ID',
    ['Auth method', ({ AuthMethod }) => AuthMethod],
    selects,
    ['Binds', bindsText],
    'Description',
  ],
  fields: [
    'ID',
    ['Auth method', ({ AuthMethod }) => AuthMethod],
    'Namespace',
    selects,
    ['Binds', bindsText],
    'Description',
  ],
  labelOf: (rule) => `${rule.ID} (${rule.AuthMethod}: ${bindsText(rule)})`,
  deleteWarning: 'Later logins will no longer get what it binds.',
})

export const RECORD_KINDS: readonly RecordKind[] = [TOKEN, POLICY, ROLE, NAMESPACE, AUTH_METHOD, BINDING_RULE]
export const TOKEN_FIELDS = TOKEN.fields as readonly Column<object>[]
