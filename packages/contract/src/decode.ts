/** From the bytes of a body to a typed request, with errors that name the field. Decisions: decoding. */
import * as z from 'zod'
import { AclError, type AclErrorCode } from './errors.ts'
import { formatPath, type Json, parseJson } from './json.ts'

/** A schema of this contract, for who need not know the library behind it. */
export type Schema = z.ZodType
export type SchemaOutput<S extends Schema> = z.output<S>

export interface DecodeOptions {
  /** Spec 9.3: unknown fields are refused from 1.7.0 and were ignored before. Absent: refused. */
  readonly unknownFields?: 'refuse' | 'ignore'
  /** Fields that this service version does not know yet, as top-level names. Treated as unknown fields. */
  readonly absentFields?: ReadonlySet<string>
  /** Whether no body at all reads as `{}`. */
  readonly optional?: boolean
}

/**
 * Reads a JSON body against a schema.
 *
 * An explicit `null` field counts as absent, and a `null` body as `{}`.
 *
 * @throws AclError `body_required`, `body_malformed`, `field_unknown`, `field_type` or the code a schema names.
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
  return decodeValue(schema, parseJson(text), options)
}

/** As {@link decodeBody}, from a value that was already read. */
export function decodeValue<S extends z.ZodType>(
  schema: S,
  json: Json,
  options: DecodeOptions = {},
): z.output<S> {
  const value = withoutNulls(json === null ? {} : json)
  const absent = removeAbsentFields(value, options)
  if (absent !== undefined) throw unknownField(schema, [absent], [])
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  if (
    options.unknownFields === 'ignore' &&
    parsed.error.issues.every((issue) => issue.code === 'unrecognized_keys')
  ) {
    for (const issue of parsed.error.issues) dropKeys(value, issue)
    const again = schema.safeParse(value)
    if (again.success) return again.data
    throw toAclError(schema, again.error)
  }
  throw toAclError(schema, parsed.error)
}

/** UTF-8, refused where it is not: "strings are kept as given" leaves no room for replacement characters. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new AclError('body_malformed', 'The body is not valid UTF-8', { cause })
  }
}

/** Names the gated field that stands in the body, or removes it where unknown fields are ignored. */
function removeAbsentFields(value: Json, options: DecodeOptions): string | undefined {
  if (!options.absentFields || typeof value !== 'object' || value === null || Array.isArray(value))
    return undefined
  for (const field of options.absentFields) {
    if (!Object.hasOwn(value, field)) continue
    if (options.unknownFields !== 'ignore') return field
    delete value[field]
  }
  return undefined
}

function dropKeys(value: Json, issue: z.core.$ZodIssue): void {
  let target: unknown = value
  for (const step of issue.path) target = (target as Record<PropertyKey, unknown>)[step]
  if (issue.code !== 'unrecognized_keys') return
  for (const key of issue.keys) delete (target as Record<string, unknown>)[key]
}

/** Depth is bounded by the JSON reader. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (value === null || typeof value !== 'object') return value
  const result: { [key: string]: Json } = {}
  for (const [key, field] of Object.entries(value)) {
    if (field !== null) result[key] = withoutNulls(field)
  }
  return result
}

function toAclError(schema: z.ZodType, error: z.ZodError): AclError {
  const issue = error.issues[0]
  if (!issue) return new AclError('body_malformed', 'The body does not have the expected form')
  const field = formatPath(issue.path)
  if (issue.code === 'unrecognized_keys') return unknownField(schema, issue.keys, issue.path)
  if (issue.code === 'custom') {
    const code = (issue.params?.code as AclErrorCode | undefined) ?? 'field_invalid'
    return new AclError(code, `${field || 'The body'} ${issue.message}`, { field })
  }
  if (issue.code === 'too_big') {
    const unit = issue.origin === 'string' ? 'characters' : 'entries'
    return new AclError('field_too_long', `${field} must hold at most ${issue.maximum} ${unit}`, { field })
  }
  const problem = issue.message.replace(/^Invalid input: /, '')
  return new AclError('field_type', `${field || 'The body'}: ${problem}`, field === '' ? {} : { field })
}

/** Names the unknown field, and the one that was probably meant. */
function unknownField(schema: z.ZodType, keys: readonly string[], path: readonly PropertyKey[]): AclError {
  const key = keys[0] ?? ''
  const field = formatPath([...path, key])
  const meant = knownFields(schema, path).find((known) => isNear(known, key))
  const hint = meant === undefined ? '' : ` (did you mean ${JSON.stringify(meant)}?)`
  return new AclError('field_unknown', `unknown field ${JSON.stringify(field)}${hint}`, { field })
}

function knownFields(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at: unknown = schema
  for (const step of [...path, undefined]) {
    while (at instanceof z.ZodOptional || at instanceof z.ZodDefault) at = at.unwrap()
    if (step === undefined) break
    at =
      at instanceof z.ZodArray ? at.element : at instanceof z.ZodObject ? at.shape[String(step)] : undefined
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : []
}

/** Equal without case, `_` and `-`, or with one letter more, less or other. */
function isNear(known: string, given: string): boolean {
  const a = known.toLowerCase()
  const b = given.toLowerCase().replace(/[_-]/g, '')
  if (a === b) return true
  if (Math.abs(a.length - b.length) > 1 || a.length < 4) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end += 1
  return Math.max(a.length, b.length) - start - end <= 1
}
