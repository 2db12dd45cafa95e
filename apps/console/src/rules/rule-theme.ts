/** The editor's theme, in the colours of the console. */
import { EditorView } from '@codemirror/view'

export const ruleTheme = EditorView.theme({
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
