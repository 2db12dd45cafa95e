/** Field descriptions from schemas, because inferred types have none. */
import ts from 'typescript-5'

/** The part of a JSON Schema that leads to descriptions. */
export interface JsonSchema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly description?: string
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly [keyword: string]: unknown
}

export interface DescriptionSource {
  /** Generic types that stand for a schema, such as `Answer<'tokens.read'>`: finds the schema by the type argument. */
  readonly schemas: Readonly<Record<string, (argument: string) => JsonSchema>>
  /** Remarks derived from the other keywords of a field. */
  readonly remarks?: (field: JsonSchema) => readonly string[]
}

/**
 * The schema behind a type as written.
 *
 * @param aliased the right-hand side of an alias.
 */
export function schemaOf(
  node: ts.TypeNode,
  source: DescriptionSource,
  aliased: (name: ts.EntityName) => ts.TypeNode | undefined,
): JsonSchema | undefined {
  const again = (inner: ts.TypeNode | undefined) => inner && schemaOf(inner, source, aliased)
  if (ts.isIndexedAccessTypeNode(node)) {
    const whole = again(node.objectType)
    const { indexType } = node
    if (!ts.isLiteralTypeNode(indexType)) return partOf(whole, 'items')
    return ts.isStringLiteral(indexType.literal)
      ? partOf(whole, 'properties', indexType.literal.text)
      : undefined
  }
  // In an intersection, the first record with a schema describes its fields.
  if (ts.isIntersectionTypeNode(node)) return node.types.map(again).find((schema) => schema !== undefined)
  if (ts.isParenthesizedTypeNode(node)) return again(node.type)
  if (!ts.isTypeReferenceNode(node)) return undefined
  const [first] = node.typeArguments ?? []
  const schema = source.schemas[node.typeName.getText()]
  if (schema && first && ts.isLiteralTypeNode(first) && ts.isStringLiteral(first.literal)) {
    return schema(first.literal.text)
  }
  // A generic type such as `NonNullable` has the fields of its argument.
  return again(first ?? aliased(node.typeName))
}

/** The schema of the elements, the values or one property, with the definitions of the whole schema. */
export function partOf(
  schema: JsonSchema | undefined,
  keyword: 'items' | 'additionalProperties' | 'properties',
  name = '',
  siblings: readonly { readonly name: string }[] = [],
): JsonSchema | undefined {
  if (schema === undefined) return undefined
  const part =
    keyword === 'properties'
      ? recordOf(schema, siblings)?.properties?.[name]
      : optionsOf(schema).find((option) => option[keyword] !== undefined)?.[keyword]
  return typeof part === 'object' && schema.$defs
    ? { ...part, $defs: schema.$defs }
    : (part as JsonSchema | undefined)
}

/** Fields in the order of their schema. Fields that it does not have come last. */
export function inOrderOf<F extends { readonly name: string }>(
  schema: JsonSchema | undefined,
  fields: readonly F[],
): readonly F[] {
  const names = Object.keys((schema && recordOf(schema, fields)?.properties) ?? {})
  const place = ({ name }: F) => (names.includes(name) ? names.indexOf(name) : names.length)
  return fields.toSorted((a, b) => place(a) - place(b))
}

/** Among several records: the one with all fields, or else the first. */
function recordOf(schema: JsonSchema, fields: readonly { readonly name: string }[]): JsonSchema | undefined {
  const records = optionsOf(schema).filter(({ properties }) => properties !== undefined)
  return records.find(({ properties }) => fields.every(({ name }) => properties?.[name])) ?? records[0]
}

/** A schema's variants, with references resolved. */
function optionsOf(schema: JsonSchema): readonly JsonSchema[] {
  const { $defs, anyOf } = schema
  const target = definitionOf(schema)
  if (target) return optionsOf({ ...target, ...($defs ? { $defs } : {}) })
  return anyOf ? anyOf.flatMap((option) => optionsOf({ ...option, ...($defs ? { $defs } : {}) })) : [schema]
}

function definitionOf({ $ref, $defs }: JsonSchema): JsonSchema | undefined {
  return $ref === undefined ? undefined : $defs?.[$ref.replace('#/$defs/', '')]
}

/** The hover text of a field: its description, the description of a referenced scalar, and the remarks. */
export function descriptionOf(field: JsonSchema, { remarks }: DescriptionSource): string {
  const target = definitionOf(field)
  const scalar = target?.properties ? undefined : target?.description
  return [field.description, scalar === field.description ? undefined : scalar, ...(remarks?.(field) ?? [])]
    .filter((part) => part !== undefined)
    .join(' ')
    .replaceAll('*/', '*\\/')
}
