/**
 * The records of the contract as flat TypeScript, so that a published type needs no zod and a hover shows fields, not
 * an inference. The page src/generated-types.ts is this text, and a test holds it to that.
 */
import { GATES, TOKEN_FIELD_GATES } from '@latchkey/contract'
import { SCHEMAS } from '@latchkey/contract/routes'
import { definitionName, type JsonSchema, toJsonSchema } from './json-schema.ts'

/** The endpoints that take a body. */
type WithBody = {
  [N in keyof typeof SCHEMAS]: (typeof SCHEMAS)[N] extends { body: unknown } ? N : never
}[keyof typeof SCHEMAS]

/** A body as one endpoint takes it: the contract has one schema for bodies that differ in a few fields. */
interface RequestType {
  readonly name: string
  readonly endpoint: WithBody
  readonly doc: string
  /** Fields of the schema that this endpoint does not take. */
  readonly without?: readonly string[]
  /** Fields of the schema that this endpoint takes, where these are few. */
  readonly only?: readonly string[]
  /** Fields that this endpoint requires, where the schema does not say it. */
  readonly needs?: readonly string[]
}

/** What a record has and a body may repeat: of no use to a create. */
const READ_ONLY = ['CreateTime', 'Hash', 'CreateIndex', 'ModifyIndex']

const REQUESTS: readonly RequestType[] = [
  {
    name: 'TokenCreate',
    endpoint: 'tokens.create',
    doc: 'The body of create. Spec 4.2. An id that is absent is made by the SDK, an empty one by the service.',
    without: [...READ_ONLY, 'Rules', 'AuthMethod'],
  },
  {
    name: 'TokenUpdate',
    endpoint: 'tokens.update',
    doc: 'The body of update: a record that was read, changed. Links and Description that are left out are cleared. Spec 4.5.',
    without: ['ExpirationTTL'],
  },
  {
    name: 'TokenClone',
    endpoint: 'tokens.clone',
    doc: 'The body of clone. Spec 4.6.',
    only: ['Description', 'Namespace'],
  },
  {
    name: 'PolicyCreate',
    endpoint: 'policies.create',
    doc: 'The body of create.',
    without: [...READ_ONLY, 'ID'],
  },
  {
    name: 'PolicyUpdate',
    endpoint: 'policies.update',
    doc: 'The body of update: a record that was read, changed.',
  },
  { name: 'RoleCreate', endpoint: 'roles.create', doc: 'The body of create.', without: [...READ_ONLY, 'ID'] },
  {
    name: 'RoleUpdate',
    endpoint: 'roles.update',
    doc: 'The body of update: a record that was read, changed.',
  },
  {
    name: 'NamespaceCreate',
    endpoint: 'namespaces.create',
    doc: 'The body of create. ACLs are linked to every token in the namespace.',
    without: READ_ONLY,
    needs: ['Name'],
  },
  {
    name: 'NamespaceUpdate',
    endpoint: 'namespaces.update',
    doc: 'The body of update: a record that was read, changed.',
  },
  {
    name: 'LegacyTokenRequest',
    endpoint: 'legacy.create',
    doc: 'The body of legacy create and update. ID is the secret.',
  },
  { name: 'WhoCanRequest', endpoint: 'acl.whoCan', doc: 'A right that is asked for.' },
  { name: 'AuthorizeCheck', endpoint: 'authorize', doc: 'One question of authorize.' },
]

const HEAD = `// biome-ignore-all format: generated

/**
 * What travels, as TypeScript. Generated from the schemas of the contract by \`pnpm --filter @latchkey/sdk generate\`; to
 * change a type, change its schema.
 */
`

/** The whole file. */
export function renderTypes(): string {
  const answers = answerDefinitions()
  const { texts, referenced } = requestTexts()
  const shared = [...referenced]
    .filter(([name]) => !answers.has(name))
    .map(([name, schema]) => definitionText(name, schema, 'input'))
  const records = [...answers].map(([name, schema]) => definitionText(name, schema, 'output'))
  return [HEAD, ...records, ...shared, ...texts].join('\n')
}

/** Every named record that an endpoint answers, in the order of the route table. */
function answerDefinitions(): ReadonlyMap<string, JsonSchema> {
  const definitions = new Map<string, JsonSchema>()
  for (const { answer } of Object.values(SCHEMAS)) {
    for (const [name, schema] of Object.entries(toJsonSchema(answer, 'output').$defs ?? {})) {
      definitions.set(name, schema)
    }
  }
  return definitions
}

function requestTexts(): { texts: readonly string[]; referenced: ReadonlyMap<string, JsonSchema> } {
  const referenced = new Map<string, JsonSchema>()
  const texts = REQUESTS.map((request) => {
    const body = bodySchema(request)
    for (const [name, schema] of Object.entries(body.$defs ?? {})) {
      if (isUsed(name, body.fields)) referenced.set(name, schema)
    }
    return definitionText(request.name, body.fields, 'input', request.doc)
  })
  return { texts, referenced }
}

function bodySchema(request: RequestType): { $defs: JsonSchema['$defs']; fields: JsonSchema } {
  const { $defs, ...root } = toJsonSchema(SCHEMAS[request.endpoint].body, 'input')
  let record: JsonSchema | undefined = root
  // A list is named by its elements, and a schema may be another one under a new name.
  while (record && (record.items ?? record).$ref) {
    record = $defs?.[definitionName((record.items ?? record).$ref ?? '')]
  }
  if (!record?.properties) throw new Error(`${request.endpoint} takes no record`)
  const { only, without = [], needs = [] } = request
  const kept = Object.entries(record.properties).filter(([field]) =>
    only ? only.includes(field) : !without.includes(field),
  )
  return {
    $defs,
    fields: {
      ...record,
      required: [...(record.required ?? []), ...needs],
      properties: Object.fromEntries(kept),
    },
  }
}

function isUsed(name: string, schema: JsonSchema): boolean {
  return JSON.stringify(schema).includes(`"#/$defs/${name}"`)
}

type Io = 'input' | 'output'

function definitionText(name: string, schema: JsonSchema, io: Io, doc = schema.description): string {
  const head = doc === undefined ? '' : `/** ${doc} */\n`
  if (!schema.properties) return `${head}export type ${name} = ${typeText(schema, io)}\n`
  return `${head}export interface ${name} ${objectText(schema, io, name)}\n`
}

function objectText(schema: JsonSchema, io: Io, owner: string | undefined, indent = ''): string {
  const lines = Object.entries(schema.properties ?? {}).map(([field, type]) => {
    const doc = fieldDoc(type, io === 'input' ? owner : undefined, field)
    const comment = doc === '' ? '' : `${indent}  /** ${doc} */\n`
    const text = typeText(type, io, `${indent}  `)
    if (isRequired(schema, field, type)) return `${comment}${indent}  ${field}: ${text}`
    // JSON leaves undefined out, so a body may hold it; an answer never does.
    return `${comment}${indent}  ${field}?: ${text}${io === 'input' && text !== 'unknown' ? ' | undefined' : ''}`
  })
  return `{\n${lines.join('\n')}\n${indent}}`
}

/** An empty default stands for a field that the rules require: they say so better than a schema can. */
function isRequired(schema: JsonSchema, field: string, type: JsonSchema): boolean {
  return (schema.required ?? []).includes(field) || type.default === ''
}

/** @param owner the body that the field belongs to: its gate says since when it may be sent. */
function fieldDoc(type: JsonSchema, owner: string | undefined, field: string): string {
  const gates: Readonly<Record<string, keyof typeof GATES>> = TOKEN_FIELD_GATES
  const gate = owner?.startsWith('Token') ? gates[field] : undefined
  const since = gate === undefined ? undefined : GATES[gate].since
  const ignored = isUnknown(type) ? 'Accepted and ignored.' : undefined
  return [type.description, ignored, since === undefined ? undefined : `From service version ${since}.`]
    .filter((part) => part !== undefined)
    .join(' ')
}

function isUnknown(type: JsonSchema): boolean {
  return Object.keys(type).every((key) => key === 'description')
}

/** A schema as the text of a type. */
export function typeText(schema: JsonSchema, io: Io, indent = ''): string {
  if (schema.$ref) return definitionName(schema.$ref)
  if (schema.const !== undefined) return literalText(schema.const)
  if (schema.enum) return schema.enum.map(literalText).join(' | ')
  if (schema.anyOf) return schema.anyOf.map((option) => typeText(option, io, indent)).join(' | ')
  if (Array.isArray(schema.type)) return schema.type.map(primitiveText).join(' | ')
  if (schema.type === 'array') return arrayText(typeText(schema.items ?? {}, io, indent), io)
  if (schema.type === 'object') return objectOrRecordText(schema, io, indent)
  return schema.type === undefined ? 'unknown' : primitiveText(String(schema.type))
}

function objectOrRecordText(schema: JsonSchema, io: Io, indent: string): string {
  if (schema.properties) return objectText(schema, io, undefined, indent)
  const { additionalProperties } = schema
  return `Record<string, ${typeText(typeof additionalProperties === 'object' ? additionalProperties : {}, io, indent)}>`
}

function arrayText(element: string, io: Io): string {
  const text = element.includes(' | ') && !element.startsWith('{') ? `(${element})[]` : `${element}[]`
  return io === 'input' ? `readonly ${text}` : text
}

function primitiveText(type: string): string {
  return type === 'integer' ? 'number' : type
}

function literalText(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}
