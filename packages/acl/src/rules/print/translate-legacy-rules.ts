/** Translates legacy rules to policy rules. Spec 9.1, 9.2.4; decisions: rule translation. */

import { atOnce, Pace, type Sliced } from '../../turns.ts'
import { findKeyword } from '../language/keywords.ts'
import { SEGMENT_KINDS } from '../language/rule.ts'
import { parseSyntax } from '../language/syntax.ts'
import { firstKey, type Item, type Node, type Token } from '../language/syntax-tree.ts'
import { jsonToHcl } from './json-to-hcl.ts'
import { printInSlices } from './tree-printer.ts'

interface TranslateOptions {
  /**
   * What to do with rules that legacy evaluation ignored (`acl`, `*_prefix`, unknown kinds) but a policy would apply.
   * `comment-out`: they become comments. `keep`: they take effect, as in the reference.
   */
  readonly widening: 'keep' | 'comment-out'
}

type TranslationNoteCode = 'ignored_rule_commented_out' | 'ignored_rule_kept' | 'kind_respelled'

interface TranslationNote {
  readonly code: TranslationNoteCode
  readonly message: string
  /** In the original text. */
  readonly line: number
  readonly column: number
}

interface Translation {
  readonly rules: string
  readonly notes: readonly TranslationNote[]
}

const IGNORED = 'not translated: legacy evaluation ignored this rule'

/** Keywords that the reference replaces at the start of any item. */
const REWRITTEN: ReadonlyMap<string, string> = new Map([
  ['policy', 'policy'],
  ...SEGMENT_KINDS.map((kind): [string, string] => [kind, `${kind}_prefix`]),
])

/**
 * Rewrites the text without changing its meaning: `key "x"` becomes `key_prefix "x"`. Keeps comments and order. Checks
 * only the syntax: an unknown level is refused when a policy is created from the result.
 *
 * @throws AclError `rules_invalid` if the text is neither HCL nor JSON.
 */
export function translateLegacyRules(text: string, options: TranslateOptions): Translation {
  return atOnce(translateInSlices(text, options))
}

/** Like {@link translateLegacyRules}, in slices. */
export function* translateInSlices(text: string, options: TranslateOptions): Sliced<Translation> {
  const tree = yield* jsonToHcl(yield* parseSyntax(text, { isTolerant: true }))
  const pace = new Pace()
  const notes: TranslationNote[] = []
  const ignored = new Set<Item>()
  const items: Item[] = []
  for (const item of tree.items) {
    const word = firstKey(item)
    const keyword = findKeyword(word.value, { dialect: 'legacy' })
    if (keyword === undefined) notes.push(noteIgnored(word, options))
    const isRespelled =
      options.widening === 'comment-out' && keyword?.match === 'prefix' && !REWRITTEN.has(word.value)
    if (isRespelled) notes.push(noteSpelling(word))
    const rewritten = yield* rewriteItem(isRespelled ? withKind(item, keyword.kind) : item, pace)
    if (keyword === undefined) ignored.add(rewritten)
    items.push(rewritten)
  }
  const commentOut = (item: Item) => (ignored.has(item) ? IGNORED : undefined)
  const printing = options.widening === 'keep' ? {} : { commentOut }
  return { rules: yield* printInSlices({ ...tree, items }, printing), notes }
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

function withKind(item: Item, kind: string): Item {
  const [word, ...labels] = item.keys
  return word === undefined
    ? item
    : { ...item, keys: [{ ...word, type: 'ident', text: kind, value: kind }, ...labels] }
}

/** Rewrites the keyword of an item and the keywords inside it. */
function* rewriteItem(item: Item, pace: Pace): Sliced<Item> {
  if (pace.isDue()) yield
  const [word, ...labels] = item.keys
  if (word === undefined) return item
  const text = REWRITTEN.get(word.value) ?? word.text
  // In `service { "key" { … } }` the inner key is a segment, not a keyword. The reference wrongly rewrites it.
  const namesSegments = labels.length === 0 && KINDS_WITH_SEGMENTS.has(word.value)
  const value = yield* rewriteNode(item.value, pace, namesSegments ? rewriteSegment : rewriteItem)
  return { ...item, keys: [{ ...word, text }, ...labels], value }
}

const KINDS_WITH_SEGMENTS: ReadonlySet<string> = new Set(
  SEGMENT_KINDS.flatMap((kind) => [kind, `${kind}_prefix`]),
)

function* rewriteSegment(item: Item, pace: Pace): Sliced<Item> {
  return { ...item, value: yield* rewriteNode(item.value, pace, rewriteItem) }
}

function* rewriteNode(node: Node, pace: Pace, rewrite: typeof rewriteItem): Sliced<Node> {
  if (pace.isDue()) yield
  switch (node.type) {
    case 'literal':
      return node
    case 'list': {
      const elements: Node[] = []
      for (const element of node.elements) elements.push(yield* rewriteNode(element, pace, rewrite))
      return { ...node, elements }
    }
    case 'object': {
      const items: Item[] = []
      for (const item of node.items) items.push(yield* rewrite(item, pace))
      return { ...node, items }
    }
  }
}
