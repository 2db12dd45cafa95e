/** The table of docs/configuration.md: its second column is written by hand, the others come from the settings. */
import type { Setting } from '../src/config/setting.ts'
import { SETTINGS } from '../src/config/settings.ts'

const TABLE_BEGIN =
  '<!-- configuration: begin (variable, accepted values and default are generated: pnpm generate) -->'
const TABLE_END = '<!-- configuration: end -->'
const SECRET = ' A secret: never printed.'

/** Puts the current table between the markers of a page. @throws Error if it lacks them, or a sentence for a setting. */
export function replaceConfigTable(page: string): string {
  const begin = page.indexOf(TABLE_BEGIN)
  const end = page.indexOf(TABLE_END)
  if (begin < 0 || end < begin) throw new Error(`the page lacks the lines ${TABLE_BEGIN} and ${TABLE_END}`)
  const rows = [...page.slice(begin, end).matchAll(/^\| `(\w+)` \| (.+?) \| .*\|$/gm)]
  const sentences = new Map(rows.map(([, env, sentence]) => [env, sentence]))
  return `${page.slice(0, begin)}${TABLE_BEGIN}\n\n${renderTable(sentences)}\n\n${page.slice(end)}`
}

function renderTable(sentences: ReadonlyMap<string | undefined, string | undefined>): string {
  const rows = Object.values(SETTINGS).map((setting: Setting<unknown>) => {
    const sentence = sentences.get(setting.env)?.replace(SECRET, '')
    if (!sentence) throw new Error(`docs/configuration.md lacks a row that says what ${setting.env} does`)
    const doc = setting.isSecret ? sentence + SECRET : sentence
    return [`\`${setting.env}\``, doc, setting.accepts.replaceAll('|', '\\|'), shownFallback(setting)]
  })
  return [['variable', 'what it does', 'accepted values', 'default'], ['---', '---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

/** Values are formatted as code; words are not. */
function shownFallback({ fallback, fallbackText }: Setting<unknown>): string {
  if (fallbackText === '') return ''
  return fallback === undefined || fallbackText.includes(' ') ? fallbackText : `\`${fallbackText}\``
}
