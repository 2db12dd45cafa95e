/** The pages of the repository's `docs`, as HTML for `/docs`. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { Html, html } from '@latchkey/contract'
import MarkdownIt from 'markdown-it'

const ROOT = join(import.meta.dirname, '../../../..')
const README = join(ROOT, 'README.md')
const DOCS = join(ROOT, 'docs')

/** Where the files of the pages are. */
export const LINKS = { style: '/docs/docs.css', script: '/docs/docs.js', icon: '/docs/icon.svg' } as const

/** The pages in the navigation, which link to the others. */
const FIRST: readonly (readonly [slug: string, title: string])[] = [
  ['readme', 'Tour and settings'],
  ['how-to', 'How to'],
  ['rules', 'The rule language'],
  ['errors', 'Errors and remedies'],
  ['troubleshooting', 'Troubleshooting'],
  ['operations', 'Operations'],
  ['upgrade', 'Upgrading a legacy cluster'],
  ['api', 'API reference, by section'],
  ['decisions', 'Decisions'],
  ['contents', 'All pages'],
]

/** Pages by their path below `/docs`: `rules`, `decisions/hosts`. `README.md` becomes the folder itself. */
export const GUIDES: ReadonlyMap<string, string> = new Map([
  ['readme', README],
  ...globSync('**/*.md', { cwd: DOCS }).map((file): [string, string] => {
    const path = file.replaceAll('\\', '/')
    const slug = path.replace(/\.md$/, '').replace(/(^|\/)README$/, '')
    return [slug === '' ? 'contents' : slug, join(DOCS, path)]
  }),
])

const SLUGS: ReadonlyMap<string, string> = new Map([...GUIDES].map(([slug, file]) => [file, slug]))

/** The links to the guides, for a navigation. */
export function guideLinks(current?: string): Html {
  return html`<div class="guides"><a class="other" href="/docs">API</a>${FIRST.map(
    ([slug, title]) =>
      html`<a class="other" href="/docs/${slug}"${slug === current && html` aria-current="page"`}>${title}</a>`,
  )}</div>`
}

export function renderGuide(slug: string, file: string): string {
  const markdown = readFileSync(file, 'utf8').replace(/<!--[\s\S]*?-->/g, '')
  const content = new Html(rendererOf(file).render(markdown))
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? slug
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Latchkey</title>
<link rel="icon" href="${LINKS.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${LINKS.style}">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<nav aria-label="Pages"><div class="bar"><a class="brand" href="/docs">Latchkey</a></div>${guideLinks(slug)}</nav>
<main id="content" class="guide">${content}</main>
</body>
</html>
`.text
}

/** Our own pages may contain anchors, so their markup is kept. Links are rewritten to the served pages. */
function rendererOf(file: string) {
  const renderer = new MarkdownIt({ html: true })
  const { link_open: plain } = renderer.renderer.rules
  // A block or table that is wider than the window scrolls, and the keyboard has to reach it.
  for (const kind of ['fence', 'code_block'] as const) {
    const block = renderer.renderer.rules[kind]
    renderer.renderer.rules[kind] = (...code) => block?.(...code).replace('<pre', '<pre tabindex="0"') ?? ''
  }
  renderer.renderer.rules.table_open = (tokens, index, options, _env, self) => {
    tokens[index]?.attrSet('tabindex', '0')
    return self.renderToken(tokens, index, options)
  }
  // A column without a title has no header cell.
  renderer.renderer.rules.th_open = (tokens, index, options, _env, self) => {
    const [open, title, close] = tokens.slice(index, index + 3)
    if (open && close && title?.content === '') {
      open.tag = 'td'
      close.tag = 'td'
    }
    return self.renderToken(tokens, index, options)
  }
  renderer.renderer.rules.heading_open = (tokens, index, options, _env, self) => {
    const { children } = tokens[index + 1] ?? {}
    const text = (children ?? []).map(({ content }) => content).join('')
    tokens[index]?.attrSet('id', anchorOf(text))
    return self.renderToken(tokens, index, options)
  }
  renderer.renderer.rules.link_open = (tokens, index, options, env, self) => {
    const token = tokens[index]
    token?.attrSet('href', served(file, String(token.attrGet('href') ?? '')))
    return plain ? plain(tokens, index, options, env, self) : self.renderToken(tokens, index, options)
  }
  return renderer
}

/** The anchor that Git hosting sites give a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- ]/gu, '')
    .replaceAll(' ', '-')
}

/** Where a link of a page leads on the server. A link to a file that is not served leads to the package map. */
function served(file: string, href: string): string {
  if (/^[a-z]+:|^#|^\/docs/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const target = join(dirname(file), path)
  const slug = SLUGS.get(target) ?? SLUGS.get(join(target, 'README.md'))
  // A test finds the links that lead nowhere.
  if (slug === undefined) return existsSync(target) ? `/docs/readme#packages` : href
  return posix.join('/docs', slug) + (anchor === undefined ? '' : `#${anchor}`)
}
