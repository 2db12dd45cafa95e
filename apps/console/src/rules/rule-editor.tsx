/** The rule editor: CodeMirror in a shadow root, where it adopts its style sheets instead of inserting elements. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint'
import { unifiedMergeView } from '@codemirror/merge'
import { Annotation, EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  tooltips,
} from '@codemirror/view'
import type { LintFinding } from '@latchkey/sdk'
import { useEffect, useRef } from 'react'
import { useClient } from '../session/session.ts'
import { completeRules, ruleHighlighting, ruleLanguage } from './rule-language.ts'

/** Delay after typing before the rules are checked. */
const LINT_DELAY_MS = 250

/** Marks a change from outside. */
const fromOutside = Annotation.define<true>()

interface RuleEditorProps {
  readonly label: string
  readonly value: string
  readonly onChange?: (value: string) => void
  readonly onFindings?: (findings: readonly LintFinding[]) => void
  readonly readOnly?: boolean
  /** Highlights the differences from this text. */
  readonly original?: string
}

export function RuleEditor(props: RuleEditorProps) {
  const { label, value, readOnly = false, original } = props
  const client = useClient()
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const latest = useRef(props)
  latest.current = props
  const first = useRef(value)
  first.current = value

  useEffect(() => {
    if (!host.current) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const parent = root.appendChild(document.createElement('div'))
    const check = async (editor: EditorView): Promise<Diagnostic[]> => {
      const text = editor.state.doc.toString()
      // Without an answer there are no findings; saving then reports what is wrong.
      const findings = text.trim() === '' ? [] : await client.policies.lint(text).catch(() => [])
      latest.current.onFindings?.(findings)
      return findings.map((finding) => toDiagnostic(finding, editor.state))
    }
    const editing: Extension[] = [
      history(),
      closeBrackets(),
      autocompletion({ override: [completeRules], icons: false }),
      linter(check, { delay: LINT_DELAY_MS }),
      lintGutter(),
      highlightActiveLine(),
      // Tab leaves the editor, as everywhere else on the page.
      keymap.of([
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...historyKeymap,
        ...completionKeymap,
        ...lintKeymap,
      ]),
      EditorView.updateListener.of((update) => {
        const isOurs = update.transactions.some((each) => each.annotation(fromOutside))
        if (update.docChanged && !isOurs) latest.current.onChange?.(update.state.doc.toString())
      }),
    ]
    const editor = new EditorView({
      root,
      parent,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          lineNumbers(),
          drawSelection(),
          bracketMatching(),
          indentUnit.of('  '),
          ruleLanguage,
          syntaxHighlighting(ruleHighlighting),
          ruleTheme,
          tooltips({ parent }),
          EditorView.lineWrapping,
          ...(original === undefined ? [EditorView.editorAttributes.of({ class: 'cm-roomy' })] : []),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          ...(readOnly ? [EditorState.readOnly.of(true)] : editing),
          ...(original === undefined
            ? []
            : [unifiedMergeView({ original, mergeControls: false, gutter: true, collapseUnchanged: {} })]),
        ],
      }),
    })
    view.current = editor
    return () => {
      editor.destroy()
      parent.remove()
    }
  }, [client, label, readOnly, original])

  useEffect(() => {
    const editor = view.current
    if (!editor || editor.state.doc.toString() === value) return
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: value },
      annotations: fromOutside.of(true),
    })
  }, [value])

  return (
    <div
      ref={host}
      className="rule-editor"
      data-readonly={readOnly}
      title={readOnly ? 'Read only' : undefined}
    />
  )
}

function toDiagnostic({ Line, Column, Severity, Message }: LintFinding, state: EditorState): Diagnostic {
  const line = state.doc.line(Math.min(Line, state.doc.lines))
  const from = Math.min(line.from + Column - 1, line.to)
  const word = /^[\w"/*-]+/.exec(state.sliceDoc(from, line.to))?.[0].length ?? 0
  return { from, to: Math.min(from + Math.max(word, 1), line.to), severity: Severity, message: Message }
}

const ruleTheme = EditorView.theme({
  '&': { color: 'var(--ink)', fontSize: '0.8125rem', background: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.65' },
  '&.cm-roomy .cm-scroller': { minHeight: '18rem' },
  '.cm-content': { padding: '0.75rem 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 1rem 0 0.75rem' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { background: 'transparent', border: 'none', color: 'var(--ink-3)' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 0.5rem 0 1rem', minWidth: '2.75rem' },
  '.cm-gutter-lint': { width: '1rem' },
  '.cm-activeLine': { background: 'color-mix(in srgb, var(--hover) 60%, transparent)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 24%, transparent)',
  },
  '.cm-matchingBracket': { background: 'var(--accent-soft)', outline: 'none' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: '9px',
    background: 'var(--raised)',
    color: 'var(--ink)',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
    fontFamily: 'var(--font)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.25rem 0.75rem' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--accent-soft)', color: 'var(--ink)' },
  '.cm-completionDetail': { fontFamily: 'var(--font)', fontStyle: 'normal', color: 'var(--ink-3)' },
  '.cm-diagnostic': { padding: '0.5rem 0.75rem', maxWidth: '28rem' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--danger)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--brass)' },
  '.cm-diagnostic-info': { borderLeftColor: 'var(--accent)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--danger)',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--brass)',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-info': {
    backgroundImage: 'none',
    textDecoration: 'underline dotted var(--accent)',
    textUnderlineOffset: '3px',
  },
  '.cm-lint-marker': { width: '0.5rem', height: '0.5rem', borderRadius: '50%', content: '""' },
  '.cm-lint-marker-error': { background: 'var(--danger)' },
  '.cm-lint-marker-warning': { background: 'var(--brass)' },
  '.cm-lint-marker-info': { background: 'var(--accent)' },
  '.cm-changedLine': { background: 'var(--good-soft) !important' },
  '.cm-changedText': { background: 'color-mix(in srgb, var(--good) 22%, transparent) !important' },
  // CodeMirror's text colours have too little contrast on this background.
  '.cm-changedText, .cm-changedText span': { color: 'var(--ink) !important' },
  '.cm-deletedChunk': { background: 'var(--danger-soft)', paddingLeft: '0.75rem' },
  '.cm-deletedChunk span': { color: 'var(--ink) !important' },
  '.cm-deletedChunk .cm-deletedText': {
    background: 'color-mix(in srgb, var(--danger) 20%, transparent) !important',
  },
  '.cm-collapsedLines': {
    background: 'var(--hover)',
    color: 'var(--ink-3)',
    padding: '0.25rem 0.75rem',
    fontFamily: 'var(--font)',
  },
  // The font lacks these characters.
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '""' },
})
