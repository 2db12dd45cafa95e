/** Translates legacy rules to policy rules. Spec 9.1, 9.2.4; decisions: rule translation. */
import { asciiLowerCase, findKeyword, type Keyword } from '../language/keywords.ts'
import { type GivenLevel, mergeRules, type Rule, SEGMENT_KINDS } from '../language/rule.ts'
import { givenLevelOf, levelsOf } from '../language/rule-reader.ts'
import { parseSyntax } from '../language/syntax.ts'
import { firstKey, type Item, type Literal, type Node, type Token } from '../language/syntax-tree.ts'
import { jsonToHcl } from './json-to-hcl.ts'
import { printTree } from './tree-printer.ts'

interface TranslateOptions {
  /**
   * What to do with rules that legacy evaluation ignored (`acl`, `*_prefix`, unknown kinds) but a policy would apply,
   * and with what a policy cannot hold. `comment-out`: they become comments, and what remains has the meaning of the
   * legacy rules. `keep`: they take effect, as in the reference.
   */
  readonly widening: 'keep' | 'comment-out'
}

interface TranslationNote {
  readonly code:
    | 'ignored_rule_commented_out'
    | 'ignored_rule_kept'
    | 'kind_respelled'
    | 'repeated_rule_commented_out'
  readonly message: string
  readonly line: number
  readonly column: number
}

const IGNORED = 'not translated: legacy evaluation ignored this rule'
const COMMENTED_OUT: Readonly<Record<CommentReason, string>> = {
  ignored: 'not translated: legacy evaluation ignored this attribute',
  replaced: 'not translated: a later one replaces it',
  merged: 'not translated: merged with the first rule for the same name',
}

/** Keywords that the reference replaces at the start of any item. */
const REWRITTEN: ReadonlyMap<string, string> = new Map([
  ['policy', 'policy'],
  ...SEGMENT_KINDS.map((kind): [string, string] => [kind, `${kind}_prefix`]),
])

/**
 * Rewrites the text without changing its meaning: `key "x"` becomes `key_prefix "x"`. Keeps comments and
 * order. Checks only the syntax: an unknown level is refused when a policy is created from the result.
 */
export function translateLegacyRules(text: string, options: TranslateOptions) {
  const tree = jsonToHcl(parseSyntax(text, { isTolerant: true }))
  const notes: TranslationNote[] = []
  const isStorable = options.widening === 'comment-out'
  const { commentedOut, instead } = isStorable ? findStorableRules(tree.items) : AS_IT_IS
  const reasons = new Map<Item, string>()
  for (const [item, reason] of commentedOut) {
    reasons.set(item, COMMENTED_OUT[reason])
    notes.push(noteCommentedOut(firstKey(item), reason))
  }
  const rewriting: Rewriting = { instead, reasons }
  const items: Item[] = []
  for (const item of tree.items) {
    const word = firstKey(item)
    const keyword = findKeyword(word.value, { dialect: 'legacy' })
    if (keyword === undefined) notes.push(noteIgnored(word, options))
    const isRespelled = isStorable && keyword?.match === 'prefix' && !REWRITTEN.has(word.value)
    if (isRespelled) notes.push(noteSpelling(word))
    if (keyword === undefined && isStorable) reasons.set(item, IGNORED)
    items.push(rewriteItem(item, rewriting, isRespelled ? keyword.kind : undefined))
  }
  return { rules: printTree({ ...tree, items }, (item) => reasons.get(item)), notes }
}

function noteIgnored({ text, line, column }: Token, { widening }: TranslateOptions): TranslationNote {
  const what = `line ${line}: legacy evaluation ignored ${text}`
  return widening === 'keep'
    ? { code: 'ignored_rule_kept', message: `${what}; in a policy it takes effect`, line, column }
    : { code: 'ignored_rule_commented_out', message: `${what}; it is commented out`, line, column }
}

/** The reference does not rewrite upper-case keywords, which turns a prefix into an exact rule. */
function noteSpelling({ text, line, column }: Token): TranslationNote {
  const message = `line ${line}: ${text} is rewritten in lower case so that it remains a prefix`
  return { code: 'kind_respelled', message, line, column }
}

function noteCommentedOut({ text, line, column }: Token, reason: CommentReason): TranslationNote {
  const code = reason === 'ignored' ? 'ignored_rule_commented_out' : 'repeated_rule_commented_out'
  return { code, message: `line ${line}: ${text} is commented out: ${NOTES[reason]}`, line, column }
}

const NOTES: Readonly<Record<CommentReason, string>> = {
  ignored: 'legacy evaluation ignored it',
  replaced: 'legacy evaluation used a later one',
  merged: 'it is merged with the first rule for the same name',
}

const AS_IT_IS: StorableRules = { commentedOut: new Map(), instead: new Map() }

interface Rewriting extends Pick<StorableRules, 'instead'> {
  /** Why items are commented out: those of the tree, and their rewritten ones. */
  readonly reasons: Map<Item, string>
}

type Rewrite = (item: Item, rewriting: Rewriting) => Item

/** Rewrites the keyword of an item and the keywords inside it. @param kind to write in its place. */
function rewriteItem(original: Item, rewriting: Rewriting, kind?: string): Item {
  const item = rewriting.instead.get(original) ?? original
  const [written, ...labels] = item.keys
  if (written === undefined) return item
  const word: Token = kind === undefined ? written : { ...written, type: 'ident', text: kind, value: kind }
  const text = REWRITTEN.get(word.value) ?? word.text
  // In `service { "key" { … } }` the inner key is a segment, not a keyword. The reference wrongly rewrites it.
  const namesSegments = labels.length === 0 && KINDS_WITH_SEGMENTS.has(word.value)
  const value = rewriteNode(item.value, rewriting, namesSegments ? rewriteSegment : rewriteItem)
  return withReason(original, { ...item, keys: [{ ...word, text }, ...labels], value }, rewriting)
}

function withReason(original: Item, rewritten: Item, { reasons }: Rewriting): Item {
  const reason = reasons.get(original)
  if (reason !== undefined) reasons.set(rewritten, reason)
  return rewritten
}

const KINDS_WITH_SEGMENTS: ReadonlySet<string> = new Set(
  SEGMENT_KINDS.flatMap((kind) => [kind, `${kind}_prefix`]),
)

function rewriteSegment(original: Item, rewriting: Rewriting): Item {
  const item = rewriting.instead.get(original) ?? original
  const value = rewriteNode(item.value, rewriting, rewriteItem)
  return withReason(original, { ...item, value }, rewriting)
}

function rewriteNode(node: Node, rewriting: Rewriting, rewrite: Rewrite): Node {
  switch (node.type) {
    case 'literal':
      return node
    case 'list': {
      const elements: Node[] = []
      for (const element of node.elements) elements.push(rewriteNode(element, rewriting, rewrite))
      return { ...node, elements }
    }
    case 'object': {
      const items: Item[] = []
      for (const item of node.items) items.push(rewrite(item, rewriting))
      return { ...node, items }
    }
  }
}

/** Why an item becomes a comment: it had no effect, a later one replaces it, or an earlier one contains it now. */
type CommentReason = 'ignored' | 'replaced' | 'merged'

interface StorableRules {
  readonly commentedOut: ReadonlyMap<Item, CommentReason>
  /** Items to write instead of others, with merged levels. */
  readonly instead: ReadonlyMap<Item, Item>
}

interface Block {
  readonly item: Item
  readonly attributes: ReadonlyMap<string, Item>
  readonly rule: Rule
}

/** @param items of a tree in HCL form that legacy evaluation can read; others stay as they are. */
function findStorableRules(items: readonly Item[]): StorableRules {
  const commentedOut = new Map<Item, CommentReason>()
  const lastByName = (found: Map<string, Item>, name: string, item: Item) => {
    const earlier = found.get(name)
    if (earlier !== undefined) commentedOut.set(earlier, 'replaced')
    found.set(name, item)
  }
  const scalars = new Map<string, Item>()
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
