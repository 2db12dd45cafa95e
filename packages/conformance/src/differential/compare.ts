/** Compares two answers to the same call, except for values that each target chooses. */
import { Bijection, OrderedBijection } from './relation.ts'

export interface SeenReply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Headers that must be equal on both sides. */
const EQUAL_HEADERS = ['content-type', 'allow', 'cache-control', 'location', 'warning', 'retry-after']
/** Headers of the target's family that must be equal on both sides. */
const EQUAL_FAMILY_HEADERS = ['KnownLeader', 'Default-ACL-Policy']

const UUID = /[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}/g
/** Tolerance for the time between two requests and the difference of two clocks. */
const TIME_SLACK_MS = 60_000

/** Fields that contain indexes or times, or derive from names that differ. */
const INDEX_FIELDS = new Set(['CreateIndex', 'ModifyIndex', 'LockIndex'])
const TIME_FIELDS = new Set(['CreateTime', 'ExpirationTime'])
const IGNORED_FIELDS = new Set(['requestId', 'ResolvedByAgent'])

/** State of the comparison of two targets that have received the same calls so far. */
export class Comparison {
  private readonly ids = new Bijection()
  private readonly hashes = new Bijection()
  private readonly indexes = new OrderedBijection()
  private readonly prefix: string

  constructor(prefix: string) {
    this.prefix = prefix
  }

  /** @returns a description of the first difference; `undefined` if the answers are equal. */
  differenceOf(left: SeenReply, right: SeenReply): string | undefined {
    if (left.status !== right.status) return `status: ${left.status}, ${right.status}`
    for (const name of [...EQUAL_HEADERS, ...EQUAL_FAMILY_HEADERS.map((suffix) => this.prefix + suffix)]) {
      const [a, b] = [left.headers.get(name), right.headers.get(name)]
      if (a !== b) return `header ${name}: ${a}, ${b}`
    }
    return this.indexHeader(left, right) ?? this.cursorHeader(left, right) ?? this.body(left, right)
  }

  private indexHeader(left: SeenReply, right: SeenReply): string | undefined {
    const name = `${this.prefix}Index`
    const [a, b] = [left.headers.get(name), right.headers.get(name)]
    // 1 is also the index of a table without writes.
    if (a === b || (a && b && (a === '1' || b === '1'))) return undefined
    return a && b && this.indexes.relate(Number(a), Number(b)) ? undefined : `header ${name}: ${a}, ${b}`
  }

  private cursorHeader(left: SeenReply, right: SeenReply): string | undefined {
    const name = `${this.prefix}Next-Cursor`
    const [a, b] = [left.headers.has(name), right.headers.has(name)]
    return a === b ? undefined : `header ${name}: ${a ? 'there' : 'missing'}, ${b ? 'there' : 'missing'}`
  }

  private body(left: SeenReply, right: SeenReply): string | undefined {
    const isJson = left.headers.get('content-type')?.includes('json')
    // The answer to HEAD has a content type but no body.
    if (!isJson || left.text === '' || right.text === '') return this.text('body', left.text, right.text)
    return this.value('body', JSON.parse(left.text), JSON.parse(right.text))
  }

  private value(path: string, left: unknown, right: unknown): string | undefined {
    if (Array.isArray(left) && Array.isArray(right)) return this.list(path, left, right)
    if (isObject(left) && isObject(right)) return this.object(path, left, right)
    if (typeof left === 'string' && typeof right === 'string') return this.text(path, left, right)
    return Object.is(left, right) ? undefined : show(path, left, right)
  }

  private list(path: string, left: unknown[], right: unknown[]): string | undefined {
    if (left.length !== right.length) return `${path}: ${left.length} elements, ${right.length}`
    const [a, b] = [inCommonOrder(left), inCommonOrder(right)]
    for (const [i, element] of a.entries()) {
      const difference = this.value(`${path}[${i}]`, element, b[i])
      if (difference !== undefined) return difference
    }
    return undefined
  }

  private object(path: string, left: Fields, right: Fields): string | undefined {
    const [a, b] = [Object.keys(left), Object.keys(right)]
    if (a.join() !== b.join()) return `${path}: keys ${a.join()}, ${b.join()}`
    for (const key of a) {
      const difference = this.field(`${path}.${key}`, key, left[key], right[key])
      if (difference !== undefined) return difference
    }
    return undefined
  }

  private field(path: string, key: string, left: unknown, right: unknown): string | undefined {
    if (IGNORED_FIELDS.has(key)) return typeof left === typeof right ? undefined : show(path, left, right)
    if (INDEX_FIELDS.has(key) && typeof left === 'number' && typeof right === 'number') {
      // Records that were never stored have index 0.
      const isSame = left === 0 || right === 0 ? left === right : this.indexes.relate(left, right)
      return isSame ? undefined : `${path}: ${left}, ${right} are in a different order than before`
    }
    if (TIME_FIELDS.has(key) && typeof left === 'string' && typeof right === 'string') {
      const apartMs = Math.abs(Date.parse(left) - Date.parse(right))
      return apartMs <= TIME_SLACK_MS ? undefined : show(path, left, right)
    }
    if (key === 'Hash' && typeof left === 'string' && typeof right === 'string') {
      return this.hashes.relate(left, right) ? undefined : show(path, left, right)
    }
    return this.value(path, left, right)
  }

  /** Compares texts, except for related ids and elapsed time. */
  private text(path: string, left: string, right: string): string | undefined {
    if (left === right) return undefined
    const [a, b] = [masked(left), masked(right)]
    if (a !== b) return show(path, left, right)
    const [leftIds, rightIds] = [left.match(UUID) ?? [], right.match(UUID) ?? []]
    const isSame = leftIds.every((id, i) =>
      this.ids.relate(id.toLowerCase(), (rightIds[i] ?? '').toLowerCase()),
    )
    return isSame ? undefined : `${path}: ${left}, ${right} name different records than before`
  }
}

type Fields = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Policies and roles are listed by ID, and the IDs differ, so they are compared in the order of their names. */
function inCommonOrder(list: readonly unknown[]): readonly unknown[] {
  const nameOf = ({ Namespace, Name }: Fields) => `${Namespace}/${Name}`
  const isNamed = (value: unknown): value is Fields => isObject(value) && 'Name' in value && 'Hash' in value
  if (!list.every(isNamed)) return list
  return list.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

function masked(text: string): string {
  return text
    .replace(UUID, '<id>')
    .replace(/\(was [^)]*\)/, '(was <duration>)')
    .replace(/reset index: \d+/, 'reset index: <index>')
}

function show(path: string, left: unknown, right: unknown): string {
  return `${path}: ${JSON.stringify(left)}, ${JSON.stringify(right)}`
}
