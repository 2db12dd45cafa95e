/** Text to rules: what the words of a rule text mean. Reference 6.1, 6.2; decisions: rule language. */
import type { AclError } from '@latchkey/contract'
import {
  isScalarKind,
  mergeLevels,
  RULE_KINDS,
  type Rule,
  type RuleKind,
  type RuleLevel,
  type RuleMatch,
  type RuleSet,
  type RuleWarning,
  type RuleWarningCode,
  ruleKeyword,
  SEGMENT_KINDS,
} from './rule.ts'
import { parseSyntax } from './syntax.ts'
import { type Place, rulesError, shown } from './syntax-error.ts'
import {
  type Item,
  type Node,
  nodeStart,
  type ObjectNode,
  type SyntaxTree,
  type Token,
} from './syntax-tree.ts'

/** How a text is to be read. */
export interface ParseRulesOptions {
  /**
   * `current`: as policies are written. `legacy`: as the rules of legacy tokens are evaluated, every segment a prefix,
   * everything unknown ignored with a warning (upgrade reference 3.2).
   */
  readonly dialect?: 'current' | 'legacy'
  /** Lets unknown kinds and attributes and duplicates pass, each with a warning. Always so for `legacy`. */
  readonly lenient?: boolean
  /** The kinds that exist; a service version below 1.11 knows no `mesh`. Absent: all. */
  readonly kinds?: ReadonlySet<RuleKind>
}

/**
 * Reads a rule text. Empty text, blanks and comments alone are valid and grant nothing.
 * Names of kinds and attributes and levels are read without case; segments with case.
 *
 * @returns the rules in the order of the text.
 * @throws AclError `rules_invalid` with line and column: what was found there and what was expected.
 */
export function parseRules(text: string, options: ParseRulesOptions = {}): RuleSet {
  const reader = new RuleReader(options)
  reader.readTree(parseSyntax(text))
  return reader.ruleSet()
}

/** Reads the rules of a legacy token; what legacy evaluation ignores becomes a warning. Upgrade reference 3.2. */
export function parseLegacyRules(text: string): RuleSet {
  return parseRules(text, { dialect: 'legacy' })
}

/** What the keyword of an item says. */
export interface Keyword {
  readonly kind: RuleKind
  readonly match: RuleMatch
}

const KEYWORDS: ReadonlyMap<string, Keyword> = new Map([
  ...RULE_KINDS.map((kind): [string, Keyword] => [
    kind,
    { kind, match: isScalarKind(kind) ? 'scalar' : 'exact' },
  ]),
  ...SEGMENT_KINDS.map((kind): [string, Keyword] => [`${kind}_prefix`, { kind, match: 'prefix' }]),
])

/** Kinds that legacy evaluation knows, beside the segment kinds. Upgrade reference 3.2. */
const LEGACY_SCALARS: ReadonlySet<RuleKind> = new Set(['keyring', 'operator'])

/** The keyword of a dialect, read without case; undefined where the dialect does not know it. */
export function findKeyword(word: string, options: ParseRulesOptions = {}): Keyword | undefined {
  const keyword = KEYWORDS.get(asciiLowerCase(word))
  if (keyword === undefined || options.kinds?.has(keyword.kind) === false) return undefined
  if (options.dialect !== 'legacy') return keyword
  if (keyword.match === 'exact') return { kind: keyword.kind, match: 'prefix' }
  return LEGACY_SCALARS.has(keyword.kind) ? keyword : undefined
}

/** Lower case of the letters A to Z alone: no other character folds into a keyword. */
function asciiLowerCase(word: string): string {
  return word.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

interface Attributes {
  readonly level: RuleLevel
  readonly intentions?: RuleLevel
}

class RuleReader {
  readonly #options: ParseRulesOptions
  readonly #lenient: boolean
  readonly #rules: Rule[] = []
  readonly #warnings: RuleWarning[] = []
  /** Index into the rules, by keyword and segment. */
  readonly #seen = new Map<string, number>()

  constructor(options: ParseRulesOptions) {
    this.#options = options
    this.#lenient = options.lenient === true || options.dialect === 'legacy'
  }

  ruleSet(): RuleSet {
    return { rules: this.#rules, warnings: this.#warnings }
  }

  readTree(tree: SyntaxTree): void {
    if (tree.form === 'json') this.#checkMembers(tree.items)
    for (const item of tree.items) this.#readItem(item, tree.form === 'json')
  }

  #readItem(item: Item, isJson: boolean): void {
    const word = firstKey(item)
    const keyword = findKeyword(word.value, this.#options)
    if (keyword === undefined) {
      const expected = this.#options.dialect === 'legacy' ? 'a kind that legacy rules have' : 'a kind of rule'
      this.#refuse(
        'kind_ignored',
        word,
        `the unknown kind ${shown(word.text)}`,
        `${expected}: ${this.#knownKeywords()}`,
      )
      return
    }
    if (keyword.match === 'scalar') this.#readScalar(item, word, keyword)
    else this.#readSegments(item, word, keyword, isJson)
  }

  /** `acl = "read"`. */
  #readScalar(item: Item, word: Token, keyword: Keyword): void {
    const extra = item.keys[1]
    if (extra !== undefined) {
      throw rulesError(extra, shown(extra.text), `"=" and a level after ${word.text}, which has no segments`)
    }
    const level = this.#readLevel(item.value, word.text, keyword.kind, { mayBeUnset: true })
    if (level !== undefined)
      this.#add({ ...keyword, segment: '', level, line: word.line, column: word.column }, word)
  }

  /** `key "a" { … }`, or `key { "a" { … } "b" { … } }`, or the same in lists. */
  #readSegments(item: Item, word: Token, keyword: Keyword, isJson: boolean): void {
    const [, segment, extra] = item.keys
    if (extra !== undefined)
      throw rulesError(extra, shown(extra.text), `"{" after ${word.text} ${segment?.text}`)
    if (segment !== undefined) {
      this.#readBlocks(item.value, keyword, word, segment)
      return
    }
    const expected = `a segment after ${word.text}, such as ${word.text} "name" { policy = "read" }`
    for (const object of objectsOf(item.value, expected)) {
      if (isJson) this.#checkMembers(object.items)
      for (const member of object.items) {
        const [name, second] = member.keys
        if (name === undefined) continue
        if (second !== undefined) throw rulesError(second, shown(second.text), `"{" after ${name.text}`)
        this.#readBlocks(member.value, keyword, name, name)
      }
    }
  }

  /** The block of one segment; JSON may give it as a list of blocks. */
  #readBlocks(value: Node, keyword: Keyword, start: Token, segment: Token): void {
    const expected = `a block { policy = "…" } for ${shown(segment.text)}`
    for (const object of objectsOf(value, expected)) {
      const attributes = this.#readAttributes(object, keyword)
      this.#add(
        { ...keyword, segment: segment.value, ...attributes, line: start.line, column: start.column },
        start,
      )
    }
  }

  #readAttributes(object: ObjectNode, keyword: Keyword): Attributes {
    const found = new Map<string, { level: RuleLevel | undefined; word: Token }>()
    for (const item of object.items) {
      const word = firstKey(item)
      const name = asciiLowerCase(word.value)
      const isKnown = name === 'policy' || (name === 'intentions' && keyword.kind === 'service')
      if (!isKnown || item.keys.length > 1) {
        const expected = keyword.kind === 'service' ? 'policy or intentions' : 'policy'
        this.#refuse('attribute_ignored', word, `the unknown attribute ${shown(word.text)}`, expected)
        continue
      }
      const earlier = found.get(name)
      if (earlier !== undefined) {
        this.#refuse(
          'duplicate_merged',
          word,
          `${name} a second time`,
          `it once; the first is on line ${earlier.word.line}`,
        )
      }
      const level = this.#readLevel(item.value, name, keyword.kind, { mayBeUnset: name === 'intentions' })
      found.set(name, { level, word })
    }
    const level = found.get('policy')?.level
    if (level === undefined) {
      throw rulesError(
        object.close,
        'the end of the block',
        `policy = "${levelsOf('policy', keyword.kind).join('" or "')}" in it`,
      )
    }
    const intentions = found.get('intentions')?.level
    return intentions === undefined ? { level } : { level, intentions }
  }

  #readLevel(
    value: Node,
    name: string,
    kind: RuleKind,
    options: { mayBeUnset: boolean },
  ): RuleLevel | undefined {
    const levels = levelsOf(name, kind)
    const start = nodeStart(value)
    if (value.type !== 'literal' || value.token.type !== 'string') {
      throw rulesError(start, shown(start.text), `${name} = "${levels.join('" or "')}"`)
    }
    const text = asciiLowerCase(value.token.value)
    if (text === '' && options.mayBeUnset) {
      this.#warn('level_unset', start, `${name} is empty and therefore not set`)
      return undefined
    }
    const level = levels.find((candidate) => candidate === text)
    if (level === undefined)
      throw rulesError(start, `the level ${shown(start.text)}`, `"${levels.join('" or "')}"`)
    return level
  }

  /** Adds a rule; a second one for the same segment is refused, or merged as between policies (reference 6.1). */
  #add(rule: Rule, place: Place): void {
    const key = `${ruleKeyword(rule)} ${rule.segment}`
    const index = this.#seen.get(key)
    const earlier = index === undefined ? undefined : this.#rules[index]
    if (index === undefined || earlier === undefined) {
      this.#seen.set(key, this.#rules.length)
      this.#rules.push(rule)
      return
    }
    const name =
      rule.match === 'scalar' ? rule.kind : `${ruleKeyword(rule)} ${JSON.stringify(shown(rule.segment))}`
    const expected = `each rule once; the first is on line ${earlier.line}, column ${earlier.column}`
    this.#refuse('duplicate_merged', place, `${name} a second time`, expected)
    this.#rules[index] =
      rule.match === 'scalar' ? { ...earlier, level: rule.level } : mergeRules(earlier, rule)
  }

  /** JSON: one name twice in one object. */
  #checkMembers(items: readonly Item[]): void {
    const seen = new Map<string, Token>()
    for (const item of items) {
      const word = firstKey(item)
      const earlier = seen.get(word.value)
      if (earlier !== undefined) {
        const expected = `each name once; the first is on line ${earlier.line}, column ${earlier.column}`
        this.#refuse('duplicate_merged', word, `${shown(word.text)} a second time`, expected)
      }
      seen.set(word.value, word)
    }
  }

  #knownKeywords(): string {
    return [...KEYWORDS.keys()].filter((word) => findKeyword(word, this.#options) !== undefined).join(', ')
  }

  /** A fault that a strict reading refuses and a lenient one notes. */
  #refuse(code: RuleWarningCode, place: Place, found: string, expected: string): void {
    const error: AclError = rulesError(place, found, expected)
    if (!this.#lenient) throw error
    this.#warn(code, place, error.message)
  }

  #warn(code: RuleWarningCode, place: Place, message: string): void {
    this.#warnings.push({ code, message, line: place.line, column: place.column })
  }
}

function firstKey(item: Item): Token {
  const [key] = item.keys
  if (key === undefined) throw new TypeError('an item without a key')
  return key
}

function objectsOf(value: Node, expected: string): readonly ObjectNode[] {
  if (value.type === 'object') return [value]
  if (value.type === 'list') return value.elements.map((element) => onlyObject(element, expected))
  return [onlyObject(value, expected)]
}

function onlyObject(node: Node, expected: string): ObjectNode {
  if (node.type === 'object') return node
  const start = nodeStart(node)
  throw rulesError(start, shown(start.text), expected)
}

function levelsOf(name: string, kind: RuleKind): readonly RuleLevel[] {
  return kind === 'key' && name === 'policy' ? ['read', 'list', 'write', 'deny'] : ['read', 'write', 'deny']
}

/** Two rules for one segment: policy and intentions merge separately. Reference 6.3. */
function mergeRules(a: Rule, b: Rule): Rule {
  const level = mergeLevels(a.level, b.level)
  if (a.intentions === undefined && b.intentions === undefined) return { ...a, level }
  const intentions =
    a.intentions === undefined || b.intentions === undefined
      ? (a.intentions ?? b.intentions ?? level)
      : mergeLevels(a.intentions, b.intentions)
  return { ...a, level, intentions }
}
