/** The part of JSON Schema that the contract's schemas become. */
import * as z from 'zod'

export interface JsonSchema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | boolean
}

/** A schema as JSON Schema: of what a caller writes (`input`), or of what is answered (`output`). */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  // zod's own type of a JSON Schema is wider in places that do not occur here.
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema
}

/** The name of the definition that a reference points to. */
export function definitionName(ref: string): string {
  return ref.replace('#/$defs/', '')
}
