/** Decodes the bytes of a body to a typed request. Errors name the field. Decisions: decoding. */

import * as z from 'zod'
import { AclError, type AclErrorCode } from '../errors.ts'
import { LINKS_MAX } from '../limits.ts'
import { ANY_CASE } from '../shared/fields.ts'
import { nearestName } from '../shared/nearest-name.ts'
import { shorten } from '../shared/shorten.ts'
import { formatPath, type Json, parseJson } from './json.ts'

/** A schema of this contract, so that callers need not import zod. */
export type Schema = z.ZodType
export type SchemaOutput<S extends Schema> = z.output<S>

export interface DecodeOptions {
  /** Spec 9.3: unknown fields are refused from 1.7.0 and ignored before. Default: refused. */
  readonly unknownFields?: 'refuse' | 'ignore'
  /**
   * Fields of later service versions, treated as unknown, by path: `Service.Kind`. Paths do not include list positions.
   */
  readonly absentFields?: ReadonlySet<string>
  /** An unknown field, at any depth, that is treated as absent if it has one of these values. */
  readonly impliedField?: { readonly name: string; readonly values: readonly string[] }
  /** Maximum JSON values in the body. Absent: no limit. */
  readonly valuesMax?: number
  /** For a list body: the maximum number of entries, and their name. */
  readonly batch?: { readonly max: number; readonly of: string }
  /** Whether field names match regardless of case and underscores. */
  readonly looseNames?: boolean
  /** Whether whole numbers that a double would round become bigints. */
  readonly exactIntegers?: boolean
  /** Checks the parsed body before its schema does. */
  readonly inspect?: (body: Json) => void
  /** Whether a missing body is read as `{}`. */
  readonly optional?: boolean
}

/**
 * Reads a JSON body against a schema.
 *
 * An explicit `null` is treated as absent if the field is known, and a `null` body as an empty body.
 *
 * @throws AclError `body_required`, `body_malformed`, `batch_too_large`, `field_unknown`, `field_type`,
 * `field_too_long` or the code a schema names.
 */
export function decodeBody<S extends z.ZodType>(
  schema: S,
  body: Uint8Array | string,
  options: DecodeOptions = {},
): z.output<S> {
  const text = typeof body === 'string' ? body : decodeUtf8(body)
  if (text.trim() === '') {
    if (options.optional) return decodeValue(schema, {}, options)
    throw new AclError('body_required', 'A JSON body is required, and this request has none')
  }
  return decodeValue(schema, parseBatch(text, options), options)
}

/** Parses a list body. A list that exceeds the limit on values also has too many entries. */
function parseBatch(text: string, options: DecodeOptions): Json {
  const { batch } = options
  if (!batch) return parseJson(text, options)
  const json = parseBounded(text, batch, options)
  if (Array.isArray(json) && json.length > batch.max) throw tooLargeBatch(batch, `${json.length}`)
  return json
}

function parseBounded(text: string, batch: Batch, options: DecodeOptions): Json {
  try {
    return parseJson(text, options)
  } catch (error) {
    const isTooMuch = error instanceof AclError && error.code === 'field_too_long'
    throw isTooMuch && error.details.field === undefined ? tooLargeBatch(batch, 'many more') : error
  }
}

type Batch = NonNullable<DecodeOptions['batch']>

function tooLargeBatch({ max, of }: Batch, count: string): AclError {
  return new AclError(
    'batch_too_large',
    `Refusing to process more than ${max} ${of} at once: this call has ${count}`,
  )
}

/** Like {@link decodeBody}, but from parsed JSON. */
export function decodeValue<S extends z.ZodType>(
  schema: S,
  json: Json,
  options: DecodeOptions = {},
): z.output<S> {
  options.inspect?.(json)
  const outline = outlineOf(schema)
  const respelled: Respelled[] = []
  const prepared = prepare(json ?? (outline.element ? [] : {}), outline, [], { ...options, respelled })
  const parsed = schema.safeParse(prepared)
  if (parsed.success) {
    for (const { path, names } of respelled) WRITTEN.set(valueAt(parsed.data, path) as object, names)
    return parsed.data
  }
  const [issue] = parsed.error.issues
  throw issue
    ? toAclError(issue, prepared)
    : new AclError('body_malformed', 'The body does not have the expected form')
}

/** An object whose field names match regardless of case, with the names that were written differently. */
interface Respelled {
  readonly path: readonly PropertyKey[]
  readonly names: ReadonlyMap<string, string>
}

interface Preparing extends DecodeOptions {
  readonly respelled: Respelled[]
}

const WRITTEN = new WeakMap<object, ReadonlyMap<string, string>>()

/**
 * How the body spelled the fields of a decoded object, by name: those that it spelled differently, if their names match
 * regardless of case.
 */
export function writtenNamesOf(decoded: object): ReadonlyMap<string, string> | undefined {
  return WRITTEN.get(decoded)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes UTF-8. Refuses invalid bytes, because replacement characters would change a string. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new AclError('body_malformed', 'The body is not valid UTF-8', { cause })
  }
}

/**
 * Removes nulls and ignored unknown fields before the schema checks a value. Limits lists first, because a schema would
 * check every entry of an overlong list. The JSON reader limits the depth.
 *
 * @param path path of the value; restored before the function returns.
 * @returns the value itself if it needs no change, which is the usual case.
 * @throws AclError `field_unknown`, `field_too_long`; `body_malformed` for two spellings of one field.
 */
function prepare(value: Json, outline: Outline, path: PropertyKey[], options: Preparing): Json {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return prepareList(value, outline.element ?? LEAF, path, options)
  if (outline.values) return prepareMap(value, outline.values, path, options)
  const { fields } = outline
  if (!fields) return value
  const isAbsent = absenceOf(path, options)
  let result: { [key: string]: Json } | undefined
  let respelled: Map<string, string> | undefined
  // Visits only own fields, because parsed JSON has no prototype fields. `Object.entries` would allocate a pair for
  // each.
  for (const key in value) {
    const field = value[key] as Json
    const name = fields.has(key) ? key : spelledAs(outline, key, options)
    if (name !== key) {
      if (Object.hasOwn(value, name) || respelled?.has(name)) throw fieldTwice([...path, name], key)
      respelled ??= new Map()
      respelled.set(name, key)
    }
    const known = isAbsent(name) ? undefined : fields.get(name)
    if (!known && outline.isOpen) continue
    const isUnsaid = (field === null && fields.has(name)) || isImplied(name, field, options)
    if (!known && options.unknownFields !== 'ignore' && !isUnsaid) {
      const names = [...fields.keys()].filter((name) => !isAbsent(name))
      throw unknownField(names, path, key)
    }
    if (!known || field === null) {
      result ??= { ...value }
      delete result[key]
      continue
    }
    const prepared = prepareEntry(field, name, known, path, options)
    if (prepared === field && name === key) continue
    result ??= { ...value }
    if (name !== key) delete result[key]
    result[name] = prepared
  }
  if (respelled && outline.isAnyCase) options.respelled.push({ path: [...path], names: respelled })
  return result ?? value
}

function isImplied(name: string, field: Json, { impliedField, looseNames }: DecodeOptions): boolean {
  if (!impliedField || typeof field !== 'string' || !impliedField.values.includes(field)) return false
  const implied = impliedField.name
  return looseNames ? name.toLowerCase() === implied.toLowerCase() : name === implied
}

/** Like {@link prepare}, for the value one step below a path. */
function prepareEntry(
  entry: Json,
  step: PropertyKey,
  outline: Outline,
  path: PropertyKey[],
  options: Preparing,
): Json {
  if (entry === null || typeof entry !== 'object') return entry
  path.push(step)
  const prepared = prepare(entry, outline, path, options)
  path.pop()
  return prepared
}

function prepareMap(
  map: { [key: string]: Json },
  values: Outline,
  path: PropertyKey[],
  options: Preparing,
): Json {
  let result: { [key: string]: Json } | undefined
  for (const key in map) {
    const entry = map[key] as Json
    const prepared = prepareEntry(entry, key, values, path, options)
    if (prepared === entry) continue
    result ??= { ...map }
    result[key] = prepared
  }
  return result ?? map
}

/** The fields that the service version lacks in the object at a path. */
function absenceOf(path: readonly PropertyKey[], { absentFields }: DecodeOptions): (name: string) => boolean {
  if (!absentFields?.size) return () => false
  const prefix = path.map((step) => (typeof step === 'string' ? `${step}.` : '')).join('')
  return (name) => absentFields.has(prefix + name)
}

function prepareList(list: Json[], element: Outline, path: PropertyKey[], options: Preparing): Json {
  if (list.length > LINKS_MAX) throw tooManyEntries(formatPath(path), LINKS_MAX)
  if (element.isText) {
    // A schema would describe every wrong entry, but the error names only the first.
    const wrong = list.findIndex((entry) => typeof entry !== 'string')
    return wrong === -1 ? list : list.slice(0, wrong + 1)
  }
  let result: Json[] | undefined
  for (const [i, entry] of list.entries()) {
    const prepared = prepareEntry(entry, i, element, path, options)
    if (prepared === entry) continue
    result ??= [...list]
    result[i] = prepared
  }
  return result ?? list
}

function toAclError(issue: z.core.$ZodIssue, body: Json): AclError {
  const field = formatPath(issue.path)
  if (issue.code === 'custom') {
    const code = (issue.params?.code as AclErrorCode | undefined) ?? 'field_invalid'
    return new AclError(code, `${field || 'The body'} ${issue.message}`, { field })
  }
  const [ofKey] = issue.code === 'invalid_key' ? issue.issues : []
  if (ofKey) return toAclError({ ...ofKey, path: issue.path }, body)
  if (issue.code === 'too_big' && issue.origin === 'array') {
    return tooManyEntries(field, Number(issue.maximum))
  }
  if (issue.code === 'too_big' && issue.origin === 'string') {
    return new AclError('field_too_long', `${field} must have at most ${issue.maximum} characters`, { field })
  }
  const problem = isMissing(issue.path, body)
    ? ' is required'
    : `: ${issue.message.replace(/^(?:Invalid input|Too small|Too big): /, '')}`
  return new AclError('field_type', `${field || 'The body'}${problem}`, field === '' ? {} : { field })
}

function isMissing(path: readonly PropertyKey[], body: Json): boolean {
  return valueAt(body, path) === undefined
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((value, step) => (value as Record<PropertyKey, unknown>)[step], body)
}

function tooManyEntries(field: string, max: number): AclError {
  return new AclError(
    'field_too_long',
    `${field || 'The body'} must have at most ${max} entries`,
    field === '' ? {} : { field },
  )
}

/** Two spellings of one field. The JSON reader already refuses exact duplicates. */
function fieldTwice(path: readonly PropertyKey[], key: string): AclError {
  const field = formatPath(path)
  const spelling = JSON.stringify(shorten(key))
  return new AclError('body_malformed', `The field ${field} appears twice, once as ${spelling}`, { field })
}

/** Builds the error for an unknown field, with the most likely known field. */
function unknownField(known: readonly string[], path: readonly PropertyKey[], key: string): AclError {
  const field = formatPath([...path, key])
  const meant = nearestName(key, known)
  const hint = meant === undefined ? '' : ` (did you mean ${JSON.stringify(meant)}?)`
  return new AclError('field_unknown', `unknown field ${JSON.stringify(field)}${hint}`, { field })
}

/** The structure of a value. */
interface Outline {
  /** For an array. */
  readonly element?: Outline
  /** For an object, by name. */
  readonly fields?: ReadonlyMap<string, Outline>
  /** Whether field names match regardless of case. */
  readonly isAnyCase?: boolean
  /** Whether the schema of an object handles unknown fields in every version. */
  readonly isOpen?: boolean
  /** For a map, whose keys are not field names. */
  readonly values?: Outline
  readonly isText?: true
}

const LEAF: Outline = {}
const outlines = new WeakMap<object, Outline>()

/** Cached, because inspecting a zod schema is slow. */
function outlineOf(schema: object): Outline {
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
    isAnyCase: schema.meta()?.[ANY_CASE] === true,
    isOpen: schema.def.catchall instanceof z.ZodUnknown,
  }
}

/** The field name that equals a key except for case and, with `looseNames`, underscores; or the key itself. */
function spelledAs(outline: Outline, key: string, { looseNames: isLoose }: DecodeOptions): string {
  if (!isLoose && !outline.isAnyCase) return key
  let names = looseNames.get(outline)
  if (!names) {
    names = new Map([...(outline.fields?.keys() ?? [])].map((name) => [name.toLowerCase(), name]))
    looseNames.set(outline, names)
  }
  return names.get((isLoose ? key.replaceAll('_', '') : key).toLowerCase()) ?? key
}

const looseNames = new WeakMap<Outline, Map<string, string>>()
