/** Legacy rules, rewritten as rules of policies. Upgrade reference 3.3; spec 9.1, 9.2.4; decisions: upgrade. */
import { jsonToHcl } from './json-to-hcl.ts'
import { findKeyword } from './keywords.ts'
import { SEGMENT_KINDS } from './rule.ts'
import { parseSyntax } from './syntax.ts'
import type { Item, Node, Token } from './syntax-tree.ts'
import { printTree } from './tree-printer.ts'

export interface TranslateOptions {
  /**
   * What becomes of rules that legacy evaluation ignored (`acl`, `*_prefix`, unknown kinds) and a policy would obey.
   * `comment-out`: they stay without effect, and the text says so. `keep`: as in the reference, they take effect.
   */
  readonly widening: 'keep' | 'comment-out'
}

export type TranslationNoteCode =
  | 'ignored_rule_commented_out'
  | 'ignored_rule_kept'
  | 'kind_spelled_anew'
  | 'printed_anew'

/** What a reader of the translation should know. */
export interface TranslationNote {
  readonly code: TranslationNoteCode
  readonly message: string
  /** In the text that was given. */
  readonly line: number
  readonly column: number
}

export interface Translation {
  readonly rules: string
  readonly notes: readonly TranslationNote[]
}

const IGNORED = 'not translated: legacy evaluation ignored this rule'

/** Words that the reference writes anew wherever they begin an item. */
const REWRITTEN: ReadonlyMap<string, string> = new Map([
  ['policy', 'policy'],
  ...SEGMENT_KINDS.map((kind): [string, string] => [kind, `${kind}_prefix`]),
])

/**
 * Rewrites the text, not the meaning: `key "x"` becomes `key_prefix "x"`, comments and order stay, the rest is
 * formatted. Only the syntax is checked: a level that does not exist is found when a policy is made of the result.
 *
 * @throws AclError `rules_invalid` where the text is neither HCL nor JSON.
 */
export function translateLegacyRules(text: string, options: TranslateOptions): Translation {
  const tree = jsonToHcl(parseSyntax(text, { isTolerant: true }))
  const notes: TranslationNote[] = []
  const ignored = new Set<Item>()
  const items = tree.items.map((item) => {
    const [word] = item.keys
    if (word === undefined) return item
    const keyword = findKeyword(word.value, { dialect: 'legacy' })
    if (keyword === undefined) notes.push(noteIgnored(word, options))
    const isSpelledAnew =
      options.widening === 'comment-out' && keyword?.match === 'prefix' && !REWRITTEN.has(word.value)
    if (isSpelledAnew) notes.push(noteSpelling(word))
    const rewritten = rewriteItem(isSpelledAnew ? withKind(item, keyword.kind) : item)
    if (keyword === undefined) ignored.add(rewritten)
    return rewritten
  })
  const commentOut = (item: Item) => (ignored.has(item) ? IGNORED : undefined)
  return { rules: printTree({ ...tree, items }, options.widening === 'keep' ? {} : { commentOut }), notes }
}

function noteIgnored({ text, line, column }: Token, { widening }: TranslateOptions): TranslationNote {
  const what = `line ${line}: legacy evaluation ignored ${text}`
  return widening === 'keep'
    ? { code: 'ignored_rule_kept', message: `${what}; in a policy it takes effect`, line, column }
    : { code: 'ignored_rule_commented_out', message: `${what}; it is commented out`, line, column }
}

/** The reference leaves capitals alone, and so makes an exact rule of what was a prefix. */
function noteSpelling({ text, line, column }: Token): TranslationNote {
  const message = `line ${line}: ${text} is spelled in lower case, so that it stays a prefix`
  return { code: 'kind_spelled_anew', message, line, column }
}

function withKind(item: Item, kind: string): Item {
  const [word, ...labels] = item.keys
  return word === undefined
    ? item
    : { ...item, keys: [{ ...word, type: 'ident', text: kind, value: kind }, ...labels] }
}

/** Rewrites the word that begins an item, and those inside it. */
function rewriteItem(item: Item): Item {
  const [word, ...labels] = item.keys
  if (word === undefined) return item
  const text = REWRITTEN.get(word.value) ?? word.text
  // `service { "key" { … } }`: what begins an item there is a name, and no word. The reference rewrites it too (fault).
  const namesSegments = labels.length === 0 && KINDS_WITH_SEGMENTS.has(word.value)
  const value = rewriteNode(item.value, namesSegments ? rewriteSegment : rewriteItem)
  return { ...item, keys: [{ ...word, text }, ...labels], value }
}

const KINDS_WITH_SEGMENTS: ReadonlySet<string> = new Set(
  SEGMENT_KINDS.flatMap((kind) => [kind, `${kind}_prefix`]),
)

function rewriteSegment(item: Item): Item {
  return { ...item, value: rewriteNode(item.value, rewriteItem) }
}

function rewriteNode(node: Node, rewrite: (item: Item) => Item): Node {
  switch (node.type) {
    case 'literal':
      return node
    case 'list':
      return { ...node, elements: node.elements.map((element) => rewriteNode(element, rewrite)) }
    case 'object':
      return { ...node, items: node.items.map(rewrite) }
  }
}
