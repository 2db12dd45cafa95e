/** The structure of a schema, which decoding needs before the schema checks a value. */
import * as z from 'zod'

/** The structure of a value. */
export interface Outline {
  /** For an array. */
  readonly element?: Outline
  /** For an object, by name. */
  readonly fields?: ReadonlyMap<string, Outline>
  /** Whether the schema of an object handles unknown fields in every version. */
  readonly isOpen?: boolean
  /** For a map, whose keys are not field names. */
  readonly values?: Outline
  readonly isText?: true
}

export const LEAF: Outline = {}
const outlines = new WeakMap<object, Outline>()

/** Cached, because inspecting a zod schema is slow. */
export function outlineOf(schema: object): Outline {
  const known = outlines.get(schema)
  if (known) return known
  const fresh = outline(schema)
  outlines.set(schema, fresh)
  return fresh
}

function outline(schema: unknown): Outline {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return outline(schema.unwrap())
  }
  if (schema instanceof z.ZodArray) return { element: outline(schema.element) }
  if (schema instanceof z.ZodString) return { isText: true }
  if (schema instanceof z.ZodRecord) {
    const values = outline(schema.valueType)
    // Arbitrary JSON is kept as sent, regardless of the length of its lists.
    return values === LEAF ? LEAF : { values }
  }
  if (!(schema instanceof z.ZodObject)) return LEAF
  return {
    fields: new Map(Object.entries(schema.shape).map(([name, field]) => [name, outline(field)])),
    isOpen: schema.def.catchall instanceof z.ZodUnknown,
  }
}

/** The field name that equals a key except for case and underscores, or the key itself. */
export function looseName(outline: Outline, key: string): string {
  let names = looseNames.get(outline)
  if (!names) {
    names = new Map([...(outline.fields?.keys() ?? [])].map((name) => [name.toLowerCase(), name]))
    looseNames.set(outline, names)
  }
  return names.get(key.replaceAll('_', '').toLowerCase()) ?? key
}

const looseNames = new WeakMap<Outline, Map<string, string>>()
