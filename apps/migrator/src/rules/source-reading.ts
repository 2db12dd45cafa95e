/**
 * Reads legacy rules as the service that they come from does, where this differs from Latchkey. Reads levels and
 * blocks by itself, and shares only the syntax tree with Latchkey's reading, which is compared with it.
 */
import {
  asciiLowerCase,
  findKeyword,
  type Item,
  type Keyword,
  MERGE_RANK,
  parseSyntax,
  RULE_LEVELS,
  type Rule,
  type RuleKind,
  type RuleLevel,
  type SyntaxNode,
} from '@latchkey/acl'
import { AclError } from '@latchkey/contract'

/** Every known difference: what the source service does with such a text, and what Latchkey does. */
export const READING_DIFFERENCES = {
  'level-case': {
    there:
      'a level that is not in lower case counts in a block, but yields to one in lower case for the same segment',
    here: 'such a level grants nothing',
  },
  'scalar-case': {
    there:
      'an operator or keyring level that is not in lower case sets nothing, so the default policy decides',
    here: 'such a level denies',
  },
  surrogates: {
    there: 'each escaped surrogate is read as U+FFFD',
    here: 'a pair of them in JSON is one character, and any other is refused',
  },
  'json-slash': { there: 'the escape \\/ in JSON is refused', here: 'it is a slash' },
  'hcl-escape-in-json': { there: 'JSON may have the escapes of HCL', here: 'such an escape is refused' },
  'labelled-attribute': {
    there: 'policy or intentions with a label or a block is refused',
    here: 'it is ignored',
  },
  'empty-blocks': { there: 'an empty list of blocks is refused', here: 'it is ignored' },
  'replaced-level': {
    there: 'a value that a later one replaces may be anything',
    here: 'every value must be a level',
  },
  'policy-as-segment': {
    there: 'policy directly in a kind is a rule for the segment "policy"',
    here: 'a level without a segment is refused',
  },
} as const satisfies Readonly<Record<string, { readonly there: string; readonly here: string }>>

export type ReadingDifference = keyof typeof READING_DIFFERENCES

export interface SourceReading {
  /** In lower case, merged, and with the intentions of every rule for services. Absent: the service refuses the text. */
  readonly rules?: readonly Rule[]
  /** What the text has of the table. The meaning is not necessarily different. */
  readonly differences: ReadonlySet<ReadingDifference>
}

/** @returns undefined if the syntax cannot be read, so that the reading of the source service is unknown. */
export function readAsSource(text: string): SourceReading | undefined {
  const reader = new SourceReader(text)
  let items: readonly Item[]
  try {
    items = parseSyntax(reader.rewriteEscapes(text), { isTolerant: true }).items
  } catch (error) {
    if (error instanceof AclError) return undefined
    throw error
  }
  try {
    for (const item of items) reader.readItem(item)
    return { rules: reader.rules(), differences: reader.differences }
  } catch (error) {
    if (error instanceof AclError) return { differences: reader.differences }
    throw error
  }
}

/** As written: the empty text is not set. */
interface Block extends Keyword {
  readonly segment: string
  readonly policy: string
  readonly intentions: string
}

/** The digits of \u, \U and \x, or the three of an octal escape, or another letter. */
const ESCAPE = /\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|x([\da-fA-F]{2})|([0-7]{3})|(.))/g
const PLACE = { line: 0, column: 0 }

class SourceReader {
  readonly differences = new Set<ReadingDifference>()
  private readonly scalars = new Map<RuleKind, string>()
  private readonly blocks = new Map<string, Block>()
  private isRefused = false
  private readonly isJson: boolean

  constructor(text: string) {
    this.isJson = text.trimStart().startsWith('{')
  }

  /** Writes the escapes that the source service reads differently as Latchkey reads what they mean there. */
  rewriteEscapes(text: string): string {
    // Nothing inside `${…}` is an escape in HCL.
    if (!text.includes('\\') || (!this.isJson && text.includes('${'))) return text
    return text.replace(ESCAPE, (written: string, ...groups: (string | undefined)[]) => {
      const [short, long, hex, octal, letter] = groups
      const code = Number.parseInt(octal ?? short ?? long ?? hex ?? '', octal === undefined ? 16 : 8)
      if (code >= 0xd800 && code < 0xe000) {
        this.differences.add('surrogates')
        return '\\ufffd'
      }
      if (!this.isJson || short !== undefined || '"\\bfnrt'.includes(letter ?? ' ')) return written
      if (letter === '/') {
        this.differences.add('json-slash')
        this.isRefused = true
        return written
      }
      const meant = letter === 'a' ? 0x07 : letter === 'v' ? 0x0b : code
      // A byte of UTF-8 alone, or no escape at all.
      if (!(meant < (long === undefined ? 0x80 : 0x11_0000))) return written
      this.differences.add('hcl-escape-in-json')
      return JSON.stringify(String.fromCodePoint(meant)).slice(1, -1)
    })
  }

  rules(): readonly Rule[] {
    const blocks = [...this.blocks.values()].map((block): Rule => {
      const { kind, match, segment, policy, intentions } = block
      const rule = { kind, match, segment, level: lowerLevel(policy), ...PLACE }
      if (kind !== 'service') return rule
      const implied = policy === 'read' || policy === 'write' ? 'read' : 'deny'
      return { ...rule, intentions: intentions === '' ? implied : lowerLevel(intentions) }
    })
    return [...this.scalarRules(), ...blocks]
  }

  private scalarRules(): Rule[] {
    return [...this.scalars].flatMap(([kind, text]): Rule[] => {
      if (text === '') return []
      if (!isLevel(text, WEAK_LEVELS)) throw refused()
      if (isExact(text)) return [{ kind, match: 'scalar', segment: '', level: text, ...PLACE }]
      this.differences.add('scalar-case')
      return []
    })
  }

  readItem(item: Item): void {
    if (this.isRefused) throw refused()
    const [word, segment, extra] = item.keys
    const keyword = findKeyword(word?.value ?? '', { dialect: 'legacy' })
    if (keyword === undefined) return
    if (keyword.match === 'scalar') this.readScalar(item, keyword)
    else if (extra !== undefined) throw refused()
    else if (segment !== undefined) this.readBlocks(item.value, keyword, segment.value)
    else
      for (const object of this.elementsOf(item.value)) {
        if (object.type !== 'object') throw refused()
        for (const member of object.items) this.readMember(member, keyword)
      }
  }

  private readScalar(item: Item, keyword: Keyword): void {
    if (item.keys.length > 1) throw refused()
    this.replace(this.scalars.get(keyword.kind), WEAK_LEVELS)
    this.scalars.set(keyword.kind, textOf(item.value))
  }

  /** The last of several values stays; only what stays must be a level. */
  private replace(earlier: string | undefined, levels: readonly RuleLevel[]): void {
    if (earlier && !isLevel(earlier, levels)) this.differences.add('replaced-level')
  }

  /** Only JSON may have objects in lists, also in lists of lists. */
  private elementsOf(value: SyntaxNode): readonly SyntaxNode[] {
    if (value.type !== 'list') return [value]
    if (!this.isJson && value.elements.length > 0) throw refused()
    return value.elements.flatMap((element) => this.elementsOf(element))
  }

  private readMember(member: Item, keyword: Keyword): void {
    const [name, extra] = member.keys
    if (name === undefined || extra !== undefined) throw refused()
    if (member.value.type !== 'literal') {
      this.readBlocks(member.value, keyword, name.value)
      return
    }
    if (asciiLowerCase(name.value) !== 'policy') throw refused()
    this.differences.add('policy-as-segment')
    this.add({ ...keyword, segment: name.value, policy: textOf(member.value), intentions: '' })
  }

  private readBlocks(value: SyntaxNode, keyword: Keyword, segment: string): void {
    const objects = this.elementsOf(value)
    if (objects.length === 0) {
      this.differences.add('empty-blocks')
      throw refused()
    }
    for (const object of objects) {
      if (object.type !== 'object') throw refused()
      const levels = { policy: '', intentions: '' }
      for (const { keys, value: given } of object.items) {
        const name = asciiLowerCase(keys[0]?.value ?? '')
        if (name !== 'policy' && (name !== 'intentions' || keyword.kind !== 'service')) continue
        if (keys.length > 1) {
          this.differences.add('labelled-attribute')
          throw refused()
        }
        this.replace(levels[name], levelsOf(keyword))
        levels[name] = textOf(given)
      }
      this.add({ ...keyword, segment, ...levels })
    }
  }

  private add(block: Block): void {
    const { kind, segment, policy, intentions } = block
    if (!isLevel(policy, levelsOf(block))) throw refused()
    if (intentions !== '' && !isLevel(intentions, WEAK_LEVELS)) throw refused()
    if ([policy, intentions].some((text) => text !== '' && !isExact(text))) this.differences.add('level-case')
    const key = `${kind} ${segment}`
    const known = this.blocks.get(key)
    const merged = known && {
      ...known,
      policy: strongerOf(known.policy, policy),
      intentions: strongerOf(known.intentions, intentions),
    }
    this.blocks.set(key, merged ?? block)
  }
}

/** Levels of every kind but `key`, and of intentions. */
const WEAK_LEVELS = RULE_LEVELS.filter((level) => level !== 'list')

function levelsOf({ kind }: Keyword): readonly RuleLevel[] {
  return kind === 'key' ? RULE_LEVELS : WEAK_LEVELS
}

/** JSON's null is the empty text; a number or a here-document is its text. */
function textOf(value: SyntaxNode): string {
  if (value.type !== 'literal' || value.token.type === 'bool') throw refused()
  return value.token.type === 'null' ? '' : value.token.value
}

function isExact(text: string): text is RuleLevel {
  return RULE_LEVELS.some((level) => level === text)
}

function isLevel(text: string, levels: readonly RuleLevel[]): boolean {
  return levels.some((level) => level === asciiLowerCase(text))
}

function lowerLevel(text: string): RuleLevel {
  return RULE_LEVELS.find((level) => level === asciiLowerCase(text)) ?? 'deny'
}

/** A level that is not in lower case never replaces another, and every level in lower case replaces it. */
function strongerOf(known: string, added: string): string {
  if (!isExact(added)) return known
  return isExact(known) && MERGE_RANK[known] >= MERGE_RANK[added] ? known : added
}

function refused(): AclError {
  return new AclError('rules_invalid', 'the source service refuses the rules', { field: 'Rules' })
}
