/** The JSON Schema of a document in a folder, from the schemas of the contract. */
import * as z from 'zod'
import { FOLDER_KINDS, KIND_NAMES, type KindName } from './kinds.ts'

/** A schema that accepts a record of any kind. */
export function folderSchema(): object {
  const $defs: Record<string, unknown> = {}
  const oneOf = KIND_NAMES.map((kind) => schemaOf(kind, $defs))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A record of a folder that latchkey plan and apply read',
    oneOf,
    $defs,
  }
}

/** The schema of a kind. Referenced schemas go into `$defs`. */
function schemaOf(kind: KindName, $defs: Record<string, unknown>): object {
  const { schema, fields, required } = FOLDER_KINDS[kind]
  const whole = z.toJSONSchema(schema as unknown as z.ZodType, { io: 'input', unrepresentable: 'any' })
  const name = whole.$ref?.replace('#/$defs/', '') ?? ''
  const { [name]: root = whole, ...others } = whole.$defs ?? {}
  Object.assign($defs, others)
  const managed = Object.entries(root.properties ?? {}).filter(([field]) => fields.includes(field))
  return {
    type: 'object',
    properties: {
      kind: { const: kind },
      ...Object.fromEntries(managed),
      Namespace: {
        type: 'string',
        description: 'Extended edition only. Absent: the namespace of the command.',
      },
    },
    required: ['kind', ...required],
    additionalProperties: false,
  }
}
