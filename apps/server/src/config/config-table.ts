import type { Setting } from './setting.ts'
import { SETTINGS } from './settings.ts'

const TABLE_BEGIN = '<!-- configuration: begin (generated: pnpm generate) -->'
const TABLE_END = '<!-- configuration: end -->'

/** The table of all settings, in Markdown. */
export function renderConfigTable(): string {
  const rows = Object.values(SETTINGS).map((setting: Setting<unknown>) => {
    const secret = setting.isSecret ? ' A secret: never printed.' : ''
    return [`\`${setting.env}\``, setting.doc + secret, sentence(setting.accepts), shownFallback(setting)]
  })
  return [['variable', 'what it does', 'accepted values', 'default'], ['---', '---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

/** Puts the current table between the markers of a page. @throws Error if the page lacks them. */
export function replaceConfigTable(page: string): string {
  const begin = page.indexOf(TABLE_BEGIN)
  const end = page.indexOf(TABLE_END)
  if (begin < 0 || end < begin) throw new Error(`the page lacks the lines ${TABLE_BEGIN} and ${TABLE_END}`)
  return `${page.slice(0, begin)}${TABLE_BEGIN}\n\n${renderConfigTable()}\n\n${page.slice(end)}`
}

function sentence(form: string): string {
  return form.replaceAll('|', '\\|')
}

/** Values are formatted as code; words are not. */
function shownFallback({ fallback, fallbackText }: Setting<unknown>): string {
  if (fallbackText === '') return ''
  return fallback === undefined || fallbackText.includes(' ') ? fallbackText : `\`${fallbackText}\``
}
