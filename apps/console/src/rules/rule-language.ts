/** Syntax highlighting and completion of rules. The words come from the rule language itself. */

import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippetCompletion,
} from '@codemirror/autocomplete'
import { HighlightStyle, StreamLanguage, type StringStream } from '@codemirror/language'
import { RULE_LEVELS, SCALAR_KINDS, SEGMENT_KINDS } from '@latchkey/acl'
import { tags } from '@lezer/highlight'

const KINDS: ReadonlySet<string> = new Set([
  ...SCALAR_KINDS,
  ...SEGMENT_KINDS,
  ...SEGMENT_KINDS.map((kind) => `${kind}_prefix`),
])
const ATTRIBUTES: ReadonlySet<string> = new Set(['policy', 'intentions'])

interface State {
  isComment: boolean
  /** After `=`, where a text is a level. */
  isValue: boolean
  depth: number
}

function token(stream: StringStream, state: State): string | null {
  if (state.isComment) {
    if (stream.skipTo('*/')) {
      stream.match('*/')
      state.isComment = false
    } else stream.skipToEnd()
    return 'comment'
  }
  if (stream.eatSpace()) return null
  if (stream.match(/^(?:#|\/\/)/)) {
    stream.skipToEnd()
    return 'comment'
  }
  if (stream.match('/*')) {
    state.isComment = true
    return 'comment'
  }
  if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) {
    const style = !state.isValue ? 'string' : stream.current() === '"deny"' ? 'invalid' : 'atom'
    state.isValue = false
    return style
  }
  if (stream.match(/^[A-Za-z_]\w*/)) {
    const word = stream.current().toLowerCase()
    if (KINDS.has(word)) return 'keyword'
    return ATTRIBUTES.has(word) ? 'propertyName' : 'variableName'
  }
  const sign = stream.next()
  state.isValue = sign === '='
  if (sign === '{') state.depth += 1
  if (sign === '}') state.depth -= 1
  return 'punctuation'
}

export const ruleLanguage = StreamLanguage.define<State>({
  name: 'rules',
  startState: () => ({ isComment: false, isValue: false, depth: 0 }),
  token,
  indent: ({ depth }, textAfter, { unit }) => Math.max(0, depth - Number(textAfter.startsWith('}'))) * unit,
  languageData: {
    commentTokens: { line: '#' },
    closeBrackets: { brackets: ['{', '"'] },
    indentOnInput: /^\s*\}$/,
  },
})

export const ruleHighlighting = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '560' },
  { tag: tags.propertyName, color: 'var(--ink-2)' },
  { tag: tags.string, color: 'var(--brass)' },
  { tag: tags.atom, color: 'var(--good)' },
  { tag: tags.invalid, color: 'var(--danger)' },
  { tag: tags.comment, color: 'var(--ink-3)', fontStyle: 'italic' },
  { tag: tags.punctuation, color: 'var(--ink-3)' },
])

const KIND_COMPLETIONS: readonly Completion[] = [
  ...SEGMENT_KINDS.flatMap((kind) => [
    block(`${kind}_prefix`, `every ${kind} that begins with…`),
    block(kind, `exactly one ${kind}`),
  ]),
  ...SCALAR_KINDS.map((kind) =>
    snippetCompletion(`${kind} = "\${read}"`, { label: kind, detail: 'the whole system', type: 'keyword' }),
  ),
]

function block(keyword: string, detail: string): Completion {
  const text = `${keyword} "\${name}" {\n  policy = "\${read}"\n}`
  return snippetCompletion(text, { label: keyword, detail, type: 'keyword' })
}

const ATTRIBUTE_COMPLETIONS: readonly Completion[] = [...ATTRIBUTES].map((name) =>
  snippetCompletion(`${name} = "\${read}"`, { label: name, type: 'property' }),
)

const LEVEL_COMPLETIONS: readonly Completion[] = RULE_LEVELS.map((label) => ({ label, type: 'constant' }))

/** Kinds at the top level, attributes within a block, levels after `=`. */
export function completeRules(context: CompletionContext): CompletionResult | null {
  const level = context.matchBefore(/=\s*"[a-z]*/)
  if (level) return { from: level.from + level.text.lastIndexOf('"') + 1, options: LEVEL_COMPLETIONS }
  const word = context.matchBefore(/\w*/)
  if (!word || (word.text === '' && !context.explicit)) return null
  const before = context.state.sliceDoc(0, word.from)
  if (/"[^"\n]*$/.test(before.slice(before.lastIndexOf('\n') + 1).replace(/"[^"\n]*"/g, ''))) return null
  const depth = before.split('{').length - before.split('}').length
  return { from: word.from, options: depth > 0 ? ATTRIBUTE_COMPLETIONS : KIND_COMPLETIONS }
}
