/** Building blocks of generated Markdown pages. */
import { invariant } from '../../src/errors.ts'

/** Cells may contain any text without line breaks. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/**
 * Replaces the text between the markers of a section, `<!-- name: begin … -->` and `<!-- name: end -->`.
 *
 * @throws if the page has no such section.
 */
export function replaceSection(page: string, name: string, text: string): string {
  const section = new RegExp(`(<!-- ${name}: begin [^>]*-->\n)[\\s\\S]*?(<!-- ${name}: end -->)`)
  invariant(section.test(page), `the page has no section ${name}`)
  return page.replace(section, (_, begin: string, end: string) => `${begin}\n${text}\n\n${end}`)
}

/** Targets of citations, relative to their page. */
interface CitationTargets {
  /** The API reference; empty on the API reference itself. */
  readonly api: string
  readonly decisions: string
}

const FROM_DOCS: CitationTargets = { api: 'api.md', decisions: 'decisions/README.md' }

/** Converts citations such as `spec 4.5, 9.3 (1.7.0)` and `decisions: tokens` to links. Keeps other text. */
export function linkCitations(source: string, { api, decisions }: CitationTargets = FROM_DOCS): string {
  return source
    .split('; ')
    .map((part) => {
      const topic = /^decisions: (.+)$/.exec(part)?.[1]
      if (topic !== undefined) return `decisions: [${topic}](${decisions}#${topic.replaceAll(' ', '-')})`
      if (!part.startsWith('spec ')) return part
      return part
        .replace('spec ', 'section ')
        .replace(
          /(^|, |section )(\d+(?:\.\d+)*)/g,
          (_, before: string, number: string) => `${before}[${number}](${api}#${number})`,
        )
    })
    .join('; ')
}
