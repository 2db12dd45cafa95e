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
import styles from '../ui/styles/rule-editor.css?inline'
import { completeRules, ruleHighlighting, ruleLanguage } from './rule-language.ts'

const LINT_DELAY_MS = 250

const sheet = new CSSStyleSheet()
sheet.replaceSync(styles)

const fromOutside = Annotation.define<true>()

interface RuleEditorProps {
  readonly label: string
  readonly value: string
  readonly onChange?: (value: string) => void
  readonly onFindings?: (findings: readonly LintFinding[]) => void
  readonly readOnly?: boolean
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
    root.adoptedStyleSheets = [sheet]
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
