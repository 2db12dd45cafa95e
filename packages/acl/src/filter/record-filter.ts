/**
 * The query option `filter`, which selects the records of a list by their fields: `ServiceTags contains
 * canary and ServiceMeta.env != dev`. Decisions: filters. A list with this option applies it after rights: an
 * expression must not reveal hidden records.
 */
import { AclError, limits } from '@latchkey/contract'
import { comparisonOf, type Test, type Value, type ValueKind } from './compare.ts'
import { parseSelector, type SelectorSource } from './parse-selector.ts'
import { evaluate, type Operator, type Term, termsOf } from './selector.ts'

export interface RecordFilter<T> {
  readonly matches: (record: T) => boolean
  readonly steps: number
}

/** Steps per instruction of a regular expression, for a text of typical length. */
const STEPS_PER_INSTRUCTION = 3

/**
 * Compiles a filter.
 * @param text the expression; `undefined` and an empty one select every record.
 * @param shape the fields that the expression may use.
 * @returns `undefined` if it selects every record.
 */
export function compileFilter<T extends object>(
  text: string | undefined,
  shape: ShapeOf<T>,
  { hasWords = true }: Pick<SelectorSource, 'hasWords'> = {},
): RecordFilter<T> | undefined {
  if (text === undefined || text === '') return undefined
  const selector = parseSelector(text, { ...SOURCE, hasWords })
  const probes = new Map<Term, Probe>()
  const root: Field = { object: shape as Shape }
  let patternSize = 0
  for (const term of termsOf(selector)) {
    const compiled = compileTerm(term, root)
    probes.set(term, compiled.probe)
    patternSize += compiled.patternSize
    if (patternSize > limits.FILTER_PATTERN_STEPS_MAX) {
      const problem = `the regular expressions are larger than ${limits.FILTER_PATTERN_STEPS_MAX} steps together`
      throw invalid(term, problem)
    }
  }
  return {
    matches: (record) => evaluate(selector, (term) => probes.get(term)?.(record) === true),
    steps: probes.size + STEPS_PER_INSTRUCTION * patternSize,
  }
}

const PREFIX = 'Failed to create boolean expression evaluator: '

const SOURCE: SelectorSource = {
  field: 'filter',
  refuse: (place, problem) => invalid({ place }, `line ${place.line}, column ${place.column}: ${problem}`),
}

function invalid({ place: { line, column } }: Pick<Term, 'place'>, problem: string): AclError {
  return new AclError('filter_invalid', `${PREFIX}${problem}`, { field: 'filter', line, column })
}

type Probe = (value: unknown) => boolean

const OPERATOR_NAMES: Readonly<Record<Operator, string>> = {
  equal: 'Equal',
  in: 'In',
  matches: 'Matches',
  empty: 'Is Empty',
}

function compileTerm(term: Term, root: Field): { readonly probe: Probe; readonly patternSize: number } {
  const { path, operator, isNegated, value } = term
  const name = JSON.stringify(path.join('.'))
  const field = path.reduce<Field | undefined>((at, step) => at && fieldBelow(at, step), root)
  if (field === undefined) throw invalid(term, `Selector ${name} is not valid`)
  const kind = kindOf(field)
  const comparison = kind === undefined ? ({ fault: 'operator' } as const) : comparisonOf(term, kind)
  if ('test' in comparison) {
    const { test, patternSize } = comparison
    return { probe: probeOf(root, path, { test, isNegated }), patternSize }
  }
  if (comparison.fault === 'operator') {
    const negated = operator === 'empty' ? 'Is Not Empty' : `Not ${OPERATOR_NAMES[operator]}`
    const operatorName = isNegated ? negated : OPERATOR_NAMES[operator]
    throw invalid(term, `Invalid match operator "${operatorName}" for selector ${name}`)
  }
  const { problem } = comparison
  if (operator === 'matches') throw invalid(term, problem)
  throw invalid(term, `Failed to coerce value ${JSON.stringify(value)} for selector ${name}: ${problem}`)
}

/** The field below another one: of an object, of the objects of a list, or any entry of a map. */
function fieldBelow(field: Field, name: string): Field | undefined {
  if (typeof field === 'string') return undefined
  if ('map' in field) return field.map
  const shape = 'object' in field ? field.object : field.objects
  return Object.hasOwn(shape, name) ? shape[name] : undefined
}

/** @returns `undefined` for an object, which cannot be compared. */
function kindOf(field: Field): ValueKind | undefined {
  if (typeof field === 'string') return field
  if ('map' in field) return 'map'
  return 'objects' in field ? 'objects' : undefined
}

interface Judged {
  readonly test: Test
  readonly isNegated: boolean
}

/**
 * The probe for a path. A list of objects passes if one object does, negated or not. An absent map entry passes only
 * negated comparisons; an absent field has the empty value of its kind.
 */
function probeOf(field: Field, path: readonly string[], judged: Judged): Probe {
  const [name, ...rest] = path
  if (name === undefined) {
    const kind = kindOf(field) ?? 'text'
    return (value) => judged.test(comparable(value, kind)) !== judged.isNegated
  }
  if (typeof field !== 'string' && 'objects' in field) {
    const inner = probeOf({ object: field.objects }, path, judged)
    return (value) => Array.isArray(value) && value.some(inner)
  }
  const inner = probeOf(fieldBelow(field, name) ?? 'text', rest, judged)
  if (typeof field !== 'string' && 'map' in field) {
    return (value) => {
      const entry = memberOf(value, name)
      return entry === undefined ? judged.isNegated : inner(entry)
    }
  }
  return (value) => inner(memberOf(value, name))
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}

const EMPTY: Readonly<Record<ValueKind, Value>> = {
  text: '',
  number: 0,
  bool: false,
  list: [],
  map: [],
  objects: [],
}

function comparable(value: unknown, kind: ValueKind): Value {
  if (value === undefined || value === null) return EMPTY[kind]
  return kind === 'map' ? Object.keys(value) : (value as Value)
}

/** A kind of field: a value, a map with uniform entries, an object, or a list of objects. */
type Field =
  | 'text'
  | 'number'
  | 'bool'
  | 'list'
  | { readonly map: Field }
  | { readonly object: Shape }
  | { readonly objects: Shape }

export interface Shape {
  readonly [name: string]: Field
}

/**
 * The shape of a record of type `T`: the compiler checks that each field exists and has the kind of its type. Filters
 * cannot use omitted fields.
 */
export type ShapeOf<T> = { readonly [K in keyof T]?: FieldOf<NonNullable<T[K]>> }

type FieldOf<V> = unknown extends V
  ? Field
  : V extends string
    ? 'text'
    : V extends number
      ? 'number'
      : V extends boolean
        ? 'bool'
        : V extends readonly string[]
          ? 'list'
          : V extends readonly (infer E)[]
            ? { readonly objects: ShapeOf<E> }
            : string extends keyof V
              ? { readonly map: FieldOf<V[keyof V]> } | JsonObject<V[keyof V]>
              : { readonly object: ShapeOf<V> }

/** The compiler does not know the fields of an object that is stored as JSON. */
type JsonObject<V> = unknown extends V ? { readonly object: Shape } : never
