/** The problems of a scenario file, in terms of its fields. Values are never quoted, because they may be secrets. */
import * as z from 'zod'
import { scenarioSchema } from './schema.ts'
import { didYouMean, type Path, type Problem } from './source.ts'

export function problemsOf(error: z.ZodError, file: unknown): Problem[] {
  return error.issues.flatMap((issue) => flatten(issue, [], file))
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

/** The names of all fields and the kinds of all events and workloads, for suggestions. */
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
