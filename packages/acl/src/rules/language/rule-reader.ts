/** Converts a syntax tree to rules. Decisions: rule language. */

import {
  asciiLowerCase,
  findKeyword,
  hintAbout,
  type Keyword,
  knownKeywords,
  type ParseRulesOptions,
} from './keywords.ts'
import {
  type GivenLevel,
  mergeRules,
  type Rule,
  type RuleKind,
  type RuleLevel,
  type RuleSet,
  type RuleWarning,
  type RuleWarningCode,
  ruleKeyword,
} from './rule.ts'
import { type Place, rulesError, rulesProblem, shown } from './syntax-error.ts'
import {
  firstKey,
  type Item,
  type Node,
  nodeStart,
  type ObjectNode,
  type SyntaxTree,
  type Token,
} from './syntax-tree.ts'

interface Attributes {
  readonly level: GivenLevel
  readonly intentions?: GivenLevel
}

/** Reads one tree. A strict reader throws at the first error; a lenient reader continues if possible. */
export class RuleReader {
  private readonly options: ParseRulesOptions
  private readonly lenient: boolean
  /** Rules by keyword and segment, in the order of the text. */
  private readonly rules = new Map<string, Rule>()
  /** The first position of each rule, including rules that set nothing. */
  private readonly places = new Map<string, Place>()
  private readonly warnings: RuleWarning[] = []
  private keywords: readonly string[] | undefined
  private expectedKind: string | undefined

  constructor(options: ParseRulesOptions) {
    this.options = options
    this.lenient = options.lenient === true
  }

  ruleSet(): RuleSet {
    return { rules: [...this.rules.values()], warnings: this.warnings }
  }

  readTree(tree: SyntaxTree): void {
    for (const fault of tree.faults) {
      const { line = 1, column = 1 } = fault.details
      this.warn('syntax_tolerated', { line, column }, fault.message)
    }
    if (tree.form === 'json') this.checkMembers(tree.items)
    for (const item of tree.items) this.readItem(item, tree.form === 'json')
  }

  private readItem(item: Item, isJson: boolean): void {
    const word = firstKey(item)
    const keyword = findKeyword(word.value, this.options)
    if (keyword === undefined) {
      const expected = this.options.dialect === 'legacy' ? 'a kind that legacy rules have' : 'a kind of rule'
      // Computed once, because a text may have thousands of unknown kinds.
      this.keywords ??= knownKeywords(this.options)
      this.expectedKind ??= `${expected}: ${this.keywords.join(', ')}`
      const found = `the unknown kind ${shown(word.text)}${hintAbout(word.value, this.keywords)}`
      this.refuse('kind_ignored', word, found, this.expectedKind)
      return
    }
    if (keyword.match === 'scalar') this.readScalar(item, word, keyword)
    else this.readSegments(item, word, keyword, isJson)
  }

  private readScalar(item: Item, word: Token, keyword: Keyword): void {
    const extra = item.keys[1]
    if (extra !== undefined) {
      throw rulesError(extra, shown(extra.text), `"=" and a level after ${word.text}, which has no segments`)
    }
    const level = this.readLevel(item.value, word.text, keyword.kind, { mayBeUnset: true })
    const { line, column } = word
    this.checkDuplicate(keyword.kind, word, keyword.kind)
    // The last duplicate wins.
    if (level === undefined) this.rules.delete(keyword.kind)
    else this.rules.set(keyword.kind, { ...keyword, segment: '', level, line, column })
  }

  /** Reads `key "a" { … }`, or `key { "a" { … } "b" { … } }`; in JSON also in lists. */
  private readSegments(item: Item, word: Token, keyword: Keyword, isJson: boolean): void {
    const [, segment, extra] = item.keys
    if (extra !== undefined) {
      const after = `"{" after ${shown(word.text)} ${shown(segment?.text ?? '')}`
      throw rulesError(extra, shown(extra.text), after)
    }
    if (segment !== undefined) {
      this.readBlocks(item.value, keyword, { start: word, segment, isJson })
      return
    }
    const expected = `a segment after ${word.text}, such as ${word.text} "name" { policy = "read" }`
    for (const object of objectsOf(item.value, expected, isJson)) {
      if (isJson) this.checkMembers(object.items)
      for (const member of object.items) {
        const [name, second] = member.keys
        if (name === undefined) continue
        if (second !== undefined)
          throw rulesError(second, shown(second.text), `"{" after ${shown(name.text)}`)
        this.readBlocks(member.value, keyword, { start: name, segment: name, isJson })
      }
    }
  }

  /** Reads the block of one segment; JSON allows a list of blocks. */
  private readBlocks(
    value: Node,
    keyword: Keyword,
    where: { start: Token; segment: Token; isJson: boolean },
  ): void {
    const { start, segment, isJson } = where
    const expected = `a block { policy = "…" } for ${shown(segment.text)}`
    for (const object of objectsOf(value, expected, isJson)) {
      // Each block of a list has a place of its own.
      const { line, column } = value.type === 'list' ? object.open : start
      const attributes = this.readAttributes(object, keyword)
      this.addBlock({ ...keyword, segment: segment.value, ...attributes, line, column })
    }
  }

  private readAttributes(object: ObjectNode, keyword: Keyword): Attributes {
    const found = new Map<string, { level: GivenLevel | undefined; word: Token }>()
    for (const item of object.items) {
      const word = firstKey(item)
      const name = asciiLowerCase(word.value)
      const isKnown = name === 'policy' || (name === 'intentions' && keyword.kind === 'service')
      if (!isKnown || item.keys.length > 1) {
        const known = keyword.kind === 'service' ? ['policy', 'intentions'] : ['policy']
        const found = `the unknown attribute ${shown(word.text)}${hintAbout(word.value, known)}`
        this.refuse('attribute_ignored', word, found, known.join(' or '))
        continue
      }
      const earlier = found.get(name)
      if (earlier !== undefined) {
        const { line, column } = earlier.word
        const expected = `it once; the first is on line ${line}, column ${column}`
        this.refuse('duplicate_merged', word, `${name} a second time`, expected)
      }
      const level = this.readLevel(item.value, name, keyword.kind, { mayBeUnset: name === 'intentions' })
      found.set(name, { level, word })
    }
    const level = found.get('policy')?.level
    if (level === undefined) {
      const expected = `policy = "${levelsOf('policy', keyword.kind).join('" or "')}" in it`
      throw rulesError(object.close, 'the end of the block', expected)
    }
    const intentions = found.get('intentions')?.level
    return intentions === undefined ? { level } : { level, intentions }
  }

  private readLevel(
    value: Node,
    name: string,
    kind: RuleKind,
    options: { mayBeUnset: boolean },
  ): GivenLevel | undefined {
    const levels = levelsOf(name, kind)
    const start = nodeStart(value)
    if (value.type !== 'literal' || !(value.token.type === 'string' || value.token.type === 'null')) {
      throw rulesError(start, shown(start.text), `${name} = "${levels.join('" or "')}"`)
    }
    // JSON's null means the empty string, as in the reference.
    const text = value.token.type === 'null' ? '' : value.token.value
    if (text === '' && options.mayBeUnset) {
      this.warn('level_unset', start, `${name} is empty and therefore not set`)
      return undefined
    }
    const level = givenLevelOf(text, levels)
    if (level === undefined)
      throw rulesError(start, `the level ${shown(start.text)}`, `"${levels.join('" or "')}"`)
    if (level === text) return level
    const effect = level === 'deny' ? 'still denies' : 'grants nothing'
    const spelling = asciiLowerCase(text)
    const message = `the level ${shown(start.text)} ${effect}: the correct spelling is "${spelling}"`
    this.warn('level_case', start, message)
    return level
  }

  /** Refuses a second rule for one segment, or merges it as between policies. */
  private addBlock(rule: Rule): void {
    const key = `${ruleKeyword(rule)} ${rule.segment}`
    this.checkDuplicate(key, rule, `${ruleKeyword(rule)} ${JSON.stringify(shown(rule.segment))}`)
    const earlier = this.rules.get(key)
    this.rules.set(key, earlier === undefined ? rule : mergeRules(earlier, rule))
  }

  private checkDuplicate(key: string, place: Place, name: string): void {
    const first = this.places.get(key)
    if (first === undefined) {
      this.places.set(key, place)
      return
    }
    const expected = `each rule once; the first is on line ${first.line}, column ${first.column}`
    this.refuse('duplicate_merged', place, `${name} a second time`, expected)
  }

  private checkMembers(items: readonly Item[]): void {
    const seen = new Map<string, Token>()
    for (const item of items) {
      const word = firstKey(item)
      const earlier = seen.get(word.value)
      if (earlier !== undefined) {
        const expected = `each name once; the first is on line ${earlier.line}, column ${earlier.column}`
        this.refuse('duplicate_merged', word, `${shown(word.text)} a second time`, expected)
      }
      seen.set(word.value, word)
    }
  }

  /** Throws if strict, warns if lenient. */
  private refuse(code: RuleWarningCode, place: Place, found: string, expected: string): void {
    if (!this.lenient) throw rulesError(place, found, expected)
    this.warn(code, place, rulesProblem(place, found, expected))
  }

  private warn(code: RuleWarningCode, place: Place, message: string): void {
    this.warnings.push({ code, message, line: place.line, column: place.column })
  }
}

function objectsOf(value: Node, expected: string, isJson: boolean): readonly ObjectNode[] {
  if (value.type === 'object') return [value]
  if (value.type === 'list' && isJson) return value.elements.map((element) => onlyObject(element, expected))
  return [onlyObject(value, expected)]
}

function onlyObject(node: Node, expected: string): ObjectNode {
  if (node.type === 'object') return node
  const start = nodeStart(node)
  throw rulesError(start, shown(start.text), expected)
}

/** The effect of a level as written; undefined if it is not a level. */
export function givenLevelOf(text: string, levels: readonly RuleLevel[]): GivenLevel | undefined {
  const meant = asciiLowerCase(text)
  const level = levels.find((candidate) => candidate === meant)
  // Ignoring a misspelled deny would widen the access that other rules grant.
  return level === undefined || level === text || level === 'deny' ? level : 'none'
}

export function levelsOf(name: string, kind: RuleKind): readonly RuleLevel[] {
  return kind === 'key' && name === 'policy' ? ['read', 'list', 'write', 'deny'] : ['read', 'write', 'deny']
}
