/**
 * What a policy cannot hold of legacy rules, which legacy evaluation reads: rules and attributes more than once, and
 * unknown attributes. Decisions: rule translation.
 */

import { asciiLowerCase, findKeyword, type Keyword } from '../language/keywords.ts'
import { type GivenLevel, mergeRules, type Rule } from '../language/rule.ts'
import { givenLevelOf, levelsOf } from '../language/rule-reader.ts'
import { firstKey, type Item, type Literal, type Token } from '../language/syntax-tree.ts'

/** Why an item becomes a comment: it had no effect, a later one replaces it, or an earlier one contains it now. */
export type CommentReason = 'ignored' | 'replaced' | 'merged'

export interface StorableRules {
  readonly commentedOut: ReadonlyMap<Item, CommentReason>
  /** Items to write instead of others, with merged levels. */
  readonly instead: ReadonlyMap<Item, Item>
}

interface Block {
  readonly item: Item
  readonly attributes: ReadonlyMap<string, Item>
  /** With the levels of all blocks of its segment. */
  readonly rule: Rule
}

/** @param items of a tree in HCL form that legacy evaluation can read; others stay as they are. */
export function findStorableRules(items: readonly Item[]): StorableRules {
  const commentedOut = new Map<Item, CommentReason>()
  const lastByName = (found: Map<string, Item>, name: string, item: Item) => {
    const earlier = found.get(name)
    if (earlier !== undefined) commentedOut.set(earlier, 'replaced')
    found.set(name, item)
  }
  const scalars = new Map<string, Item>()
  /** The first block of each segment. */
  const blocks = new Map<string, Block>()

  function readBlock(item: Item, segment: Token, keyword: Keyword): void {
    if (item.value.type !== 'object') return
    const attributes = new Map<string, Item>()
    for (const attribute of item.value.items) {
      const name = asciiLowerCase(firstKey(attribute).value)
      const isKnown = name === 'policy' || (name === 'intentions' && keyword.kind === 'service')
      if (isKnown && attribute.keys.length === 1) lastByName(attributes, name, attribute)
      else commentedOut.set(attribute, 'ignored')
    }
    const level = levelOf(attributes.get('policy'), keyword)
    if (level === undefined) return
    const intentions = levelOf(attributes.get('intentions'), keyword)
    const { value, line, column } = segment
    const rule = { ...keyword, segment: value, level, ...(intentions && { intentions }), line, column }
    const key = `${keyword.kind} ${value}`
    const first = blocks.get(key)
    if (first !== undefined) commentedOut.set(item, 'merged')
    blocks.set(key, first ? { ...first, rule: mergeRules(first.rule, rule) } : { item, attributes, rule })
  }

  for (const item of items) {
    const keyword = findKeyword(firstKey(item).value, { dialect: 'legacy' })
    const [, segment, extra] = item.keys
    if (keyword === undefined || extra !== undefined) continue
    if (keyword.match === 'scalar') lastByName(scalars, keyword.kind, item)
    else if (segment !== undefined) readBlock(item, segment, keyword)
    else if (item.value.type === 'object') {
      for (const member of item.value.items) readBlock(member, firstKey(member), keyword)
    }
  }
  return { commentedOut, instead: withMergedLevels(blocks.values()) }
}

/** Writes the merged levels into the first block of each segment. */
function withMergedLevels(blocks: Iterable<Block>): ReadonlyMap<Item, Item> {
  const instead = new Map<Item, Item>()
  for (const { item, attributes, rule } of blocks) {
    const policy = attributes.get('policy')
    const intentions = attributes.get('intentions')
    if (policy === undefined || item.value.type !== 'object') continue
    if (levelOf(policy, rule) !== rule.level) instead.set(policy, withLevel(policy, rule.level))
    if (levelOf(intentions, rule) === rule.intentions || rule.intentions === undefined) continue
    if (intentions !== undefined) {
      instead.set(intentions, withLevel(intentions, rule.intentions))
      continue
    }
    const { value, keys, assign } = withLevel(policy, rule.intentions)
    const key = { ...firstKey({ keys, value }), text: 'intentions', value: 'intentions' }
    const added: Item = { keys: [key], ...(assign && { assign }), value }
    const items = item.value.items.flatMap((one) => (one === policy ? [one, added] : [one]))
    instead.set(item, { ...item, value: { ...item.value, items } })
  }
  return instead
}

/** The level of an attribute; undefined if it is absent or empty, or no level. */
function levelOf(item: Item | undefined, { kind }: Pick<Keyword, 'kind'>): GivenLevel | undefined {
  if (item?.value.type !== 'literal') return undefined
  const name = asciiLowerCase(firstKey(item).value)
  return givenLevelOf(item.value.token.value, levelsOf(name, kind))
}

function withLevel(item: Item, level: GivenLevel): Item {
  if (item.value.type !== 'literal') return item
  // A level in the wrong case grants nothing.
  const written = level === 'none' ? 'READ' : level
  const token: Token = { ...item.value.token, type: 'string', text: `"${written}"`, value: written }
  const value: Literal = { ...item.value, token }
  return { ...item, value }
}
