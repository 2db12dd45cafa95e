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
import { InputError, type Place } from '../errors.ts'
import { problemsOf } from './problems.ts'
import { resolveScenario } from './resolve.ts'
import type { Scenario } from './scenario.ts'
import { scenarioSchema } from './schema.ts'
import { type Path, type Problem, sourceOf } from './source.ts'

export const SCENARIO_LENGTH_MAX = 4 * 1024 * 1024

const ERRORS_SHOWN_MAX = 10

/**
 * Reads a scenario from a YAML or JSON text. @param file name of the text in errors. @throws InputError, with
 * file, line and column, for bad YAML, unknown or wrong fields, and impossible schedules.
 */
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
  if (!read.success) throw refusal(problemsOf(read.error, plain), placeOf)
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

/** Writes a path as `datacenters[0].servers[2].id`. */
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
