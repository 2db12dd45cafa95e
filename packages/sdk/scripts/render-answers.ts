/**
 * What each endpoint answers: its type for the compiler, and its kind of JSON for run time, which is enough to tell a
 * foreign answer from ours without carrying schemas.
 */
import { SCHEMAS } from '@latchkey/contract/routes'
import { definitionName, type JsonSchema, toJsonSchema } from './json-schema.ts'
import { typeText } from './render-types.ts'

/** The whole file src/generated-answers.ts. */
export function renderAnswers(): string {
  const answers = Object.entries(SCHEMAS).map(([name, { answer }]) => ({
    key: /^\w+$/.test(name) ? name : `'${name}'`,
    schema: toJsonSchema(answer, 'output'),
  }))
  const types = answers.map(({ key, schema }) => `  ${key}: ${typeText(schema, 'output')}`)
  const kinds = answers.map(({ key, schema }) => `  ${key}: '${kindOf(schema, schema.$defs ?? {})}',`)
  const names = [...new Set(types.join('\n').match(/(?<=: |\| )[A-Z]\w+/g))].filter(
    (name) => name !== 'Record',
  )
  return `// biome-ignore-all format: generated

/**
 * What each endpoint answers. Generated from the schemas of the contract by
 * \`pnpm --filter @latchkey/sdk generate\`.
 */
import type { EndpointName } from './contract.ts'
import type {
${names
  .sort()
  .map((name) => `  ${name},`)
  .join('\n')}
} from './generated-types.ts'

/** The type of each answer. */
export interface AnswerTypes {
${types.join('\n')}
}

/** The kind of JSON of each answer. */
export const ANSWERS: Readonly<Record<EndpointName, 'object' | 'array' | 'string' | 'boolean'>> = {
${kinds.join('\n')}
}
`
}

function kindOf(schema: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>): string {
  if (schema.$ref) return kindOf(definitions[definitionName(schema.$ref)] ?? {}, definitions)
  const kinds = new Set((schema.anyOf ?? [schema]).map((option) => kindOfOption(option, definitions)))
  const [kind] = kinds
  if (kinds.size !== 1 || kind === undefined) throw new Error(`an answer is of several kinds: ${[...kinds]}`)
  return kind
}

function kindOfOption(schema: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>): string {
  if (schema.$ref) return kindOf(schema, definitions)
  if (typeof schema.type !== 'string') throw new Error(`no kind in ${JSON.stringify(schema)}`)
  return schema.type
}
