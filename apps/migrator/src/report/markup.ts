/** HTML fragments shared by the charts. Text from outside must pass {@link escapeHtml}. */
import type { TimeScale } from './scale.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes a text for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (each) => ESCAPES[each] ?? '')
}

/** The time axis under a chart. */
export function axis({ ticks, percent }: TimeScale): string {
  const labels = ticks.map(({ at, label }, i) => {
    const edge = i === 0 ? ' class="first"' : percent(at) > 92 ? ' class="last"' : ''
    return `<span${edge} style="left:${percent(at)}%">${escapeHtml(label)}</span>`
  })
  return `<div class="axis" aria-hidden="true">${labels.join('')}</div>`
}

/** The legend of a chart's colours. */
export function legend(items: readonly { readonly name: string; readonly label: string }[]): string {
  const entries = items.map(({ name, label }) => `<li><i class="${name}"></i>${escapeHtml(label)}</li>`)
  return `<ul class="legend">${entries.join('')}</ul>`
}

/** An SVG that stretches to the available width. It holds only shapes, as text would stretch too. */
export function canvas(height: number, body: string, label: string): string {
  return `<svg viewBox="0 0 1000 ${height}" preserveAspectRatio="none" style="height:${height}px" role="img" aria-label="${escapeHtml(label)}">${body}</svg>`
}

/** A section with a heading; empty if its body is. */
export function section(title: string, body: string, note = ''): string {
  if (body === '') return ''
  const text = note === '' ? '' : `<p class="note">${escapeHtml(note)}</p>`
  return `<section><h2>${escapeHtml(title)}</h2>${text}${body}</section>`
}
