/** Reads a scenario file in four steps: text, YAML, schema, meaning. Every error names its line. */
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml'
import * as z from 'zod'
import { InputError, type Place } from '../errors.ts'
import { resolveScenario } from './resolve.ts'
import type { Scenario } from './scenario.ts'
import { scenarioSchema } from './schema.ts'
import { didYouMean, type Path, type Problem, sourceOf } from './source.ts'

export const SCENARIO_LENGTH_MAX = 4 * 1024 * 1024

const ERRORS_SHOWN_MAX = 10

/** @throws InputError with file, line and column for bad YAML, wrong fields and impossible schedules. */
export function readScenario(text: string, file: string): Scenario {
  if (text.length > SCENARIO_LENGTH_MAX) {
    const message = `a scenario has at most ${SCENARIO_LENGTH_MAX} characters, this one ${text.length}`
    throw new InputError(message, { place: { file } })
  }
  const lines = new LineCounter()
  const doc = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
  const placeAt = (offset: number | undefined): Place => {
    if (offset === undefined) return { file }
    const { line, col } = lines.linePos(offset)
    return { file, line, column: col }
  }
  const [error] = doc.errors
  if (error) throw new InputError(`not valid YAML: ${error.message}`, { place: placeAt(error.pos[0]) })
  refuseCycles(doc, placeAt)
  keepTexts(doc)
  const placeOf = (path: Path): Place => placeAt(nodeAt(doc, path)?.range?.[0])
  if (doc.contents === null) throw new InputError('the scenario is empty', { place: { file } })
  let plain: unknown
  try {
    plain = doc.toJS({ maxAliasCount: 1_000 })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new InputError(`not valid YAML: ${message}`, { place: { file } })
  }
  const read = scenarioSchema.safeParse(plain)
  if (!read.success)
    throw refusal(
      read.error.issues.flatMap((issue) => flatten(issue, [], plain)),
      placeOf,
    )
  return resolveScenario(read.data, sourceOf(placeOf))
}

/** Refuses aliases inside their own anchor, which would create an infinite structure. */
function refuseCycles(doc: Document, placeAt: (offset: number | undefined) => Place): void {
  visit(doc, {
    Alias(_, alias, ancestors) {
      const target = alias.resolve(doc)
      if (target !== undefined && ancestors.includes(target)) {
        throw new InputError(`the alias *${alias.source} is inside its own anchor: a cycle`, {
          place: placeAt(alias.range?.[0]),
        })
      }
    },
  })
}

const NAME_KEYS = ['id', 'name', 'server', 'datacenter', 'primary', 'source', 'destination', 'between']
const TEXT_KEYS = new Set(['version', 'from', 'agent', 'agents', ...NAME_KEYS])

/** Keeps versions and names as texts: `version: 1.10` is not the number 1.1, and an id may be `7`. */
function keepTexts(doc: Document): void {
  visit(doc, {
    Pair(_, { key, value }) {
      // The `from` of a workload is a time, for which the schema also accepts a text of digits.
      if (!isScalar(key) || !TEXT_KEYS.has(String(key.value))) return
      // The number in `agents: 3` is a number.
      for (const node of isSeq(value) ? value.items : key.value === 'agents' ? [] : [value]) {
        if (isScalar(node) && typeof node.value === 'number' && node.source !== undefined)
          node.value = node.source
      }
    },
  })
}

function refusal(problems: readonly Problem[], placeOf: (path: Path) => Place): InputError {
  const shown = problems.slice(0, ERRORS_SHOWN_MAX).map(({ path, message }) => {
    const field = formatPath(path)
    return new InputError(field === '' ? message : `${field}: ${message}`, { place: placeOf(path) })
  })
  const [first, ...rest] = shown
  if (first === undefined) throw new TypeError('a refusal must have a problem')
  const more = problems.length - shown.length
  const lines = [...rest.map((each) => each.text), ...(more > 0 ? [`and ${more} more`] : [])]
  return new InputError([first.message, ...lines].join('\n'), { place: first.place })
}

function formatPath(path: Path): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  )
}

/** The node at a path, or its nearest existing ancestor; for an unknown field, the key. */
function nodeAt(doc: Document, path: Path): Node | undefined {
  let node: unknown = doc.contents
  for (const part of path) {
    if (isAlias(node)) node = node.resolve(doc)
    if (!isCollection(node)) break
    const child: unknown = node.get(part, true)
    if (isMap(node) && typeof part === 'string') {
      const key = node.items.find((pair) => isScalar(pair.key) && pair.key.value === part)?.key
      if (part === path.at(-1) && isScalar(key) && key.range) return key
    }
    if (child === undefined) break
    node = child
  }
  return isScalar(node) || isCollection(node) || isAlias(node) ? node : undefined
}

/** One problem per wrong field. For a union, the problems of the branch that matches best. */
function flatten(issue: z.core.$ZodIssue, prefix: Path, file: unknown): Problem[] {
  const path = [...prefix, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))]
  const value = path.reduce<unknown>((at, part) => Object(at)[part], file)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `unknown field${didYouMean(key, NAMES.fields)}`,
    }))
  }
  if (issue.code === 'invalid_union') {
    const branches = issue.errors
      .map((branch) => branch.flatMap((inner) => flatten(inner, path, file)))
      .filter((branch) => branch.some((problem) => problem.path.length > path.length))
      .sort((a, b) => a.length - b.length)
    const [best] = branches
    if (best !== undefined) return best
    if (value === undefined && path.at(-1) === 'kind') return [{ path, message: 'is missing' }]
    if (path.at(-1) === 'kind') return [{ path, message: `unknown kind${suggestion(value, NAMES.kinds)}` }]
  }
  return [{ path, message: messageOf(issue, value) }]
}

function messageOf(issue: z.core.$ZodIssue, value: unknown): string {
  // A message of our own schema.
  if (!/^(Invalid|Too|Unrecognized)/.test(issue.message)) return issue.message
  switch (issue.code) {
    case 'invalid_type':
      return value === undefined
        ? `is missing: expected ${NOUNS[issue.expected] ?? 'another value'}`
        : `expected ${NOUNS[issue.expected] ?? 'another value'}, not ${kindOf(value)}`
    case 'invalid_value':
      return value === undefined
        ? `is missing: expected ${listOf(issue.values)}`
        : `expected ${listOf(issue.values)}${suggestion(value, issue.values)}`
    case 'too_big':
      return `at most ${amountOf(issue.origin, issue.maximum)}`
    case 'too_small':
      return `${issue.inclusive === false ? 'more than' : 'at least'} ${amountOf(issue.origin, issue.minimum)}`
    default:
      return `expected another value than ${kindOf(value)}`
  }
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'a map of fields',
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map of fields'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a fraction'
  return typeof value === 'boolean' ? String(value) : 'a text'
}

function listOf(values: readonly unknown[]): string {
  const words = values.map(String)
  return words.length === 1 ? String(words[0]) : `one of ${words.join(', ')}`
}

function amountOf(origin: string, bound: number | bigint): string {
  const number = bound.toLocaleString('en-US')
  const [one, many] = origin === 'string' ? ['character', 'characters'] : ['entry', 'entries']
  if (origin !== 'string' && origin !== 'array') return number
  return `${number} ${Number(bound) === 1 ? one : many}`
}

function suggestion(value: unknown, candidates: Iterable<unknown>): string {
  return typeof value === 'string' ? didYouMean(value, [...candidates].map(String)) : ''
}

const NAMES = { fields: new Set<string>(), kinds: new Set<string>() }
collectNames(z.toJSONSchema(scenarioSchema, { io: 'input' }))

function collectNames(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties') for (const name of Object.keys(value)) NAMES.fields.add(name)
    if (key === 'const') NAMES.kinds.add(value)
    collectNames(value)
  }
}
