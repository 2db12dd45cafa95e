/**
 * Query options as schemas. They parse the text of a URL; a client may also pass numbers and flags. The first value of
 * an option is used, except for options that use all values ({@link texts}) or are ignored if repeated ({@link ONCE}).
 * An empty value is treated as absent, except for options whose presence matters.
 */
import * as z from 'zod'
import { AclError, type AclErrorCode } from '../errors.ts'
import { NAMESPACE_NAME_LENGTH_MAX, PAGE_LIMIT_MAX, WAIT_MS_DEFAULT, WAIT_MS_MAX } from '../limits.ts'
import { parseDurationMs } from '../time/duration.ts'
import { shorten } from './shorten.ts'

/** The description of an option, and its form as JSON Schema. */
type OptionFacts = Readonly<Record<string, unknown>> & { readonly description: string }

/** An option: `In` is what a client may write, `Out` the parsed value. */
type Option<Out, In> = z.ZodOptional<z.ZodType<Out, In>>

class OptionProblem {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/**
 * An option that `parse` reads.
 *
 * @param parse receives an empty text only if `whenEmpty` is `parse`.
 */
function option<Out, In>(
  parse: (text: string) => Out | OptionProblem,
  facts: OptionFacts,
  whenEmpty: 'absent' | 'parse' = 'absent',
): Option<Out | undefined, In> {
  const schema = z
    .unknown()
    .transform((value, context) => {
      if (value === undefined || (value === '' && whenEmpty === 'absent')) return undefined
      const result = parse(String(value))
      if (!(result instanceof OptionProblem)) return result
      context.addIssue({ code: 'custom', message: result.message, params: { code: 'query_invalid' } })
      return z.NEVER
    })
    .meta(facts)
    .optional()
  return schema as unknown as Option<Out | undefined, In>
}

/** Set by its presence, whatever its value. */
export function flag(
  description: string,
  more: Readonly<Record<string, unknown>> = {},
): Option<true, true | string> {
  const facts = { description, type: 'string', allowEmptyValue: true, ...more }
  return option<true, true | string>(() => true, facts, 'parse') as Option<true, true | string>
}

/** Set by its presence, unless its value is `false`. */
export function flagUnlessFalse(
  description: string,
  more: Readonly<Record<string, unknown>> = {},
): Option<true | undefined, true | string> {
  const facts = { description, type: 'string', allowEmptyValue: true, ...more }
  return option<true | undefined, true | string>(
    (value) => (value === 'false' ? undefined : true),
    facts,
    'parse',
  )
}

/** Of creates whose records otherwise get a random ID. */
export const importing = {
  import: flagUnlessFalse(
    'The record keeps the ID in the body, to move it from another service. Needs global management.',
  ),
}

/** Any texts: all values of the option, in order, including empty ones. */
export function texts(
  description: string,
  more: Readonly<Record<string, unknown>> = {},
): Option<readonly string[] | undefined, string | readonly string[]> {
  const facts = { description, type: 'array', items: { type: 'string' }, [REPEATABLE]: true, ...more }
  const schema = z.array(z.string()).meta(facts).optional()
  return schema as unknown as Option<readonly string[] | undefined, string | readonly string[]>
}

/** Marks an option that uses all its values. */
const REPEATABLE = 'x-latchkey-repeatable'

/** Facts of an option that is treated as absent if it is given twice. */
export const ONCE = { 'x-latchkey-once': true }

/** Any text. */
export function text(
  description: string,
  more: Readonly<Record<string, unknown>> = {},
): Option<string | undefined, string> {
  return option<string, string>((value) => value, { description, type: 'string', ...more })
}

/** Any text, including an empty one. */
export function textOrEmpty(description: string): Option<string | undefined, string> {
  const facts = { description, type: 'string', allowEmptyValue: true }
  return option<string, string>((value) => value, facts, 'parse')
}

/** An unsigned 64-bit integer. An empty one is refused: a write must not lose its condition. */
export function uint64(
  name: string,
  description: string,
  more: Readonly<Record<string, unknown>> = {},
): Option<bigint | undefined, string | number | bigint> {
  const problem = new OptionProblem(`Invalid ${name}: it must be a whole number from 0 to 2^64 - 1`)
  const parse = (value: string) => {
    const number = /^\d{1,20}$/.test(value) ? BigInt(value) : -1n
    return number === BigInt.asUintN(64, number) ? number : problem
  }
  return option(parse, { description, type: 'integer', minimum: 0, ...more }, 'parse')
}

/** One of a few words. */
export function word<const W extends string>(
  words: readonly [W, ...W[]],
  facts: OptionFacts,
  problem: string | undefined,
): Option<W | undefined, W> {
  const parse = (value: string) =>
    words.find((known) => known === value) ?? (problem === undefined ? undefined : new OptionProblem(problem))
  return option<W | undefined, W>(parse, { type: 'string', enum: words, ...facts })
}

/** A whole number of up to 15 digits. */
export function position(description: string): Option<number | undefined, string | number> {
  const problem = new OptionProblem('Invalid position: it must be a whole number of up to 15 digits')
  const parse = (value: string) => (/^\d{1,15}$/.test(value) ? Number(value) : problem)
  return option(parse, { description, type: 'integer', minimum: 0 })
}

/** Options of every endpoint. */
const common = {
  pretty: flag('Indent the JSON. Set by its presence.'),
  dc: text('Datacenter that answers the request. Default: the datacenter of the server.'),
}

const NAMESPACE = 'Extended edition only: namespace of the record. For lists, `*` means all.'

/** Options of every endpoint whose records have a namespace. Spec 4.9. */
const namespaced = { ns: text(NAMESPACE, { maxLength: NAMESPACE_NAME_LENGTH_MAX, edition: 'extended' }) }

function milliseconds(problem: string | ((value: string) => string)) {
  return (value: string) => {
    try {
      return parseDurationMs(value)
    } catch {
      return new OptionProblem(typeof problem === 'string' ? problem : problem(value))
    }
  }
}

function parseIndex(value: string): number | OptionProblem {
  const isIndex = /^\d{1,20}$/.test(value) && BigInt(value) <= 0xffff_ffff_ffff_ffffn
  return isIndex
    ? Number(value)
    : new OptionProblem('Invalid index: it must be an unsigned 64-bit decimal number')
}

const parseWait = milliseconds('Invalid wait time: it must be a duration such as "10s" or "5m"')
const parseMaxStale = milliseconds((value) => `Invalid max_stale value ${JSON.stringify(shorten(value))}`)

/** Options of every blocking query, including its consistency modes. Spec 4.1. */
const blocking = {
  index: option<number, string | number>(parseIndex, {
    description: 'Wait until the index of the answer exceeds this one. 0: do not wait.',
    type: 'integer',
    minimum: 0,
  }),
  wait: option<number, string>(
    (value) => {
      const ms = parseWait(value)
      if (ms instanceof OptionProblem) return ms
      return ms <= 0 ? WAIT_MS_DEFAULT : Math.min(ms, WAIT_MS_MAX)
    },
    {
      description:
        'Maximum wait, such as `30s`. Default 5 minutes, at most 10 minutes; the server adds up to a sixteenth.',
      type: 'string',
    },
  ),
  stale: flag('Answer from local state, regardless of its age. Set by its presence.'),
  consistent: flag('Confirm with the primary database first. Set by its presence. Excludes `stale`.'),
  max_stale: option<number | undefined, string>(
    (value) => {
      const ms = parseMaxStale(value)
      return ms instanceof OptionProblem || ms > 0 ? ms : undefined
    },
    { description: 'Oldest acceptable state, such as `10s`. Implies `stale`.', type: 'string' },
  ),
  cached: flag(
    'Some endpoints then answer with `X-Cache` and `Age`. Otherwise without effect. Excludes `consistent`.',
  ),
  leader: flag('Accepted for existing clients, without effect.'),
}

/** Maximum wait of a read that waits for something other than an index. */
export const { wait } = blocking

/** Names of the options of every blocking query. */
export const BLOCKING_QUERY_OPTIONS = Object.keys(blocking) as readonly (keyof typeof blocking)[]

/** Names of the options that endpoints share. */
export const SHARED_QUERY_OPTIONS: readonly string[] = [
  ...BLOCKING_QUERY_OPTIONS,
  ...Object.keys(namespaced),
  ...Object.keys(common),
]

/** Options of a paged list: an extension. */
export const page = {
  limit: option<number, string | number>(
    (value) => {
      const limit = /^\d{1,9}$/.test(value) ? Number(value) : 0
      if (limit >= 1 && limit <= PAGE_LIMIT_MAX) return limit
      return new OptionProblem(`limit must be a whole number from 1 to ${PAGE_LIMIT_MAX}`)
    },
    {
      description: 'Return one page of at most this many records.',
      type: 'integer',
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
    },
    'parse',
  ),
  cursor: text('Continue after the page that came with this `Next-Cursor`.'),
}

/** The query of an endpoint without blocking or namespaces. */
export function query<const S extends z.ZodRawShape>(own: S): z.ZodObject<S & typeof common> {
  return z.object({ ...own, ...common })
}

/** The query of an endpoint whose records have a namespace. */
export function namespacedQuery<const S extends z.ZodRawShape>(
  own: S,
): z.ZodObject<S & typeof namespaced & typeof common> {
  return query({ ...own, ...namespaced })
}

/** The query of a blocking query. */
export function blockingQuery<const S extends z.ZodRawShape>(
  own: S,
): z.ZodObject<S & typeof blocking & typeof common> {
  return withConflicts({ ...own, ...blocking })
}

/** The query of a read that validates the options of a blocking query but never waits. */
export function checkedQuery(): z.ZodObject<typeof blocking & typeof common> {
  const description = 'Checked as in a blocking query, without effect.'
  const checked = Object.entries(blocking).map(([name, option]) => [name, option.meta({ description })])
  return withConflicts(Object.fromEntries(checked))
}

/** The query of an endpoint with the consistency modes of a blocking query, whose records have a namespace. It never waits. */
export function namespacedModesQuery(): z.ZodObject<typeof blocking & typeof namespaced & typeof common> {
  const description = 'Checked as in a blocking query, without effect.'
  const unused = { index: blocking.index.meta({ description }), wait: blocking.wait.meta({ description }) }
  return withConflicts({ ...blocking, ...unused, ...namespaced })
}

/** The query of a blocking query whose records have a namespace. */
export function namespacedBlockingQuery<const S extends z.ZodRawShape>(
  own: S,
): z.ZodObject<S & typeof blocking & typeof namespaced & typeof common> {
  return withConflicts({ ...own, ...blocking, ...namespaced })
}

/** The consistency modes exclude each other. */
function withConflicts<const S extends z.ZodRawShape>(own: S): z.ZodObject<S & typeof common> {
  return query(own).check((context) => {
    const given = context.value as Modes
    const conflict = consistencyConflict(given)
    if (conflict === undefined) return
    const { field, message } = conflict
    const params = { code: 'query_invalid' }
    context.issues.push({ code: 'custom', input: given, path: [field], message, params })
  })
}

type Modes = { readonly [N in 'consistent' | 'stale' | 'cached' | 'max_stale']?: unknown }

/** The option that conflicts with `consistent`, and its message. */
export function consistencyConflict(
  given: Modes,
): { readonly field: string; readonly message: string } | undefined {
  if (given.consistent === undefined) return undefined
  const field = (['stale', 'cached', 'max_stale'] as const).find((name) => given[name] !== undefined)
  if (field === undefined) return undefined
  return { field, message: `Cannot specify ?${field} with ?consistent, conflicting semantics.` }
}

const NOTHING: object = Object.freeze({})

/**
 * Decodes the options of a schema and ignores all others, including those in `absent`. Each option is parsed on first
 * use, because errors such as a missing right or an invalid body take precedence.
 *
 * @returns an object with a property for every option in the request. Reading an invalid one throws AclError with the
 * schema's code and the option as its field.
 */
export function decodeQuery<S extends z.ZodObject>(
  schema: S,
  params: URLSearchParams,
  absent?: ReadonlySet<string>,
): z.output<S> {
  if (params.size === 0) return NOTHING as z.output<S>
  const given: Record<string, unknown> = {}
  for (const [name, option] of Object.entries<z.ZodType>(schema.shape)) {
    const text = params.get(name)
    if (text === null || absent?.has(name)) continue
    if (hasFact(option, 'x-latchkey-once') && params.getAll(name).length > 1) continue
    if (hasFact(option, REPEATABLE)) {
      given[name] = params.getAll(name)
      continue
    }
    const get = () => {
      const value = decodeOption(option, name, text)
      Object.defineProperty(given, name, { value, enumerable: true })
      return value
    }
    Object.defineProperty(given, name, { get, enumerable: true, configurable: true })
  }
  return given as z.output<S>
}

function hasFact(option: z.ZodType, fact: keyof typeof ONCE | typeof REPEATABLE): boolean {
  return option instanceof z.ZodOptional && (option.unwrap() as z.ZodType).meta()?.[fact] === true
}

function decodeOption(schema: z.ZodType, name: string, text: string): unknown {
  const parsed = schema.safeParse(text)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const named = issue?.code === 'custom' ? (issue.params?.code as AclErrorCode | undefined) : undefined
  throw new AclError(named ?? 'query_invalid', issue?.message ?? 'The query is not valid', { field: name })
}
