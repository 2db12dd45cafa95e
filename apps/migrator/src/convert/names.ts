/** Readable names of policies and roles: valid, unique ignoring case, and derived from the tokens or the rules. */
import { GLOBAL_MANAGEMENT_POLICY_NAME } from '@latchkey/acl'
import { limits } from '@latchkey/contract'
import type { CanonicalRule } from './rules/canonical-rules.ts'

const LENGTH_MAX = 60

export function isValidName(name: string): boolean {
  return (
    /^[A-Za-z0-9_-]+$/.test(name) &&
    name.length <= limits.POLICY_NAME_LENGTH_MAX &&
    name.toLowerCase() !== GLOBAL_MANAGEMENT_POLICY_NAME
  )
}

export class Names {
  private readonly taken = new Set([GLOBAL_MANAGEMENT_POLICY_NAME])
  /** The last number used for each name, so that a thousand equal names take linear time. */
  private readonly numbers = new Map<string, number>()

  reserve(name: string): boolean {
    const key = name.toLowerCase()
    if (this.taken.has(key)) return false
    this.taken.add(key)
    return true
  }

  take(wanted: string): string {
    const base = wanted === '' ? 'legacy' : wanted
    if (this.reserve(base)) return base
    for (let number = (this.numbers.get(base) ?? 1) + 1; ; number++) {
      const name = `${base.slice(0, LENGTH_MAX)}-${number}`
      if (!this.reserve(name)) continue
      this.numbers.set(base, number)
      return name
    }
  }
}

function slug(text: string): string {
  return cut(
    text
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, ''),
  )
}

function cut(name: string): string {
  return name.slice(0, LENGTH_MAX).replace(/-+$/, '')
}

/** The name of most tokens of a group, otherwise the words that all names share, otherwise a name from the rules. */
export function groupSlug(tokenNames: readonly string[], rules: readonly CanonicalRule[]): string {
  const counts = new Map<string, number>()
  for (const each of tokenNames.map(slug)) if (each !== '') counts.set(each, (counts.get(each) ?? 0) + 1)
  const [most] = [...counts].sort(([, a], [, b]) => b - a)
  const named = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (most !== undefined && most[1] > named / 2) return most[0]
  const [first = new Set<string>(), ...others] = [...counts.keys()].map((each) => new Set(each.split('-')))
  const common = [...first].filter(
    (word) => !/^(?=.*\d)[0-9a-f]{8,}$/.test(word) && others.every((words) => words.has(word)),
  )
  return common.some((word) => !/^\d+$/.test(word)) ? common.join('-') : rulesSlug(rules)
}

const PARTS_MAX = 2

function rulesSlug(rules: readonly CanonicalRule[]): string {
  const alike = Map.groupBy(rules, ({ segment, level }) => `${slug(segment)} ${level}`)
  const parts = [...alike.entries()].slice(0, PARTS_MAX).map(([key, members]) => {
    const [segment = '', level = ''] = key.split(' ')
    const kinds = [...new Set(members.map(({ kind }) => kind))]
    return [...kinds, ...(segment === '' ? [] : [segment]), level].join('-')
  })
  const more = alike.size > PARTS_MAX ? ['more'] : []
  return cut([...parts, ...more].join('-and-'))
}
