/// <reference types="node" />
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { linkCitations, replaceSection, table } from './markdown.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

/** Files below a folder, except installed and generated files. */
function filesBelow(folder: string, ending: RegExp): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) return ending.test(entry.name) ? [path] : []
    return ['node_modules', 'generated', 'dist'].includes(entry.name) ? [] : filesBelow(path, ending)
  })
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Anchors of a page: explicit ones, and the usual ones derived from headings. */
function placesOf(path: string): ReadonlySet<string> {
  const text = read(path)
  const explicit = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(' ', '-'),
  )
  return new Set([...explicit, ...headings])
}

describe('every citation in a comment has a target', () => {
  const sources = ['packages', 'apps']
    .flatMap((folder) => filesBelow(folder, /\.(ts|tsx|sql|prisma)$/))
    .filter((path) => !path.startsWith('packages/contract/scripts/docs/'))

  /** Every citation of one kind, with one file that contains it. */
  function citations(pattern: RegExp, namesOf: (match: string) => readonly string[]) {
    const found = new Map<string, string>()
    for (const path of sources) {
      for (const [match] of read(path).matchAll(pattern)) {
        for (const name of namesOf(match)) found.set(name, path)
      }
    }
    return found
  }

  const missing = (cited: ReadonlyMap<string, string>, page: string) => {
    const places = placesOf(page)
    return [...cited].filter(([name]) => !places.has(name)).map(([name, path]) => `${name} in ${path}`)
  }

  test('spec N.N: a section of docs/api.md', () => {
    // A later number may also be a version, as in `spec 9.3, 1.7.0`.
    const pattern = /\bspec \d+(?:\.\d+)*(?:(?:, | and | to )\d+(?:\.\d+)*)*/gi
    const cited = citations(pattern, (match) =>
      [...match.matchAll(/\d+(?:\.\d+)*/g)].map(([number]) => number).filter((number) => !isVersion(number)),
    )
    expect(cited.size).toBeGreaterThan(40)
    expect(missing(cited, 'docs/api.md')).toEqual([])
  })

  /** Section 1 has no parts, so 1.x is a version, as is 0.7. */
  const isVersion = (number: string) => /^[01]\./.test(number)

  test('decisions: topic: a group of docs/decisions/README.md, or a page there', () => {
    const pages = readdirSync(join(ROOT, 'docs/decisions')).map((name) => name.replace(/\.md$/, ''))
    const topics = [...placesOf('docs/decisions/README.md'), ...pages].map((place) =>
      place.replaceAll('-', ' '),
    )
    const cited = citations(/\bdecisions: [a-z][a-z -]*/gi, (match) => [
      match.slice('decisions: '.length).trim(),
    ])
    expect(cited.size).toBeGreaterThan(8)
    // The sentence may continue after the topic.
    const leadsSomewhere = (text: string) => topics.some((topic) => `${text} `.startsWith(`${topic} `))
    const lost = [...cited].filter(([text]) => !leadsSomewhere(text))
    expect(lost.map(([text, path]) => `${text} in ${path}`)).toEqual([])
  })

  test('no comment cites a document outside the repository', () => {
    const labels = citations(/\b(?:upgrade )?(?:reference|design) \d+(?:\.\d+)*/gi, (match) => [match])
    expect([...labels]).toEqual([])
  })
})

test('every link of a page leads to an existing file and anchor', () => {
  const pages = [
    'README.md',
    ...['docs', 'packages', 'apps'].flatMap((folder) => filesBelow(folder, /\.md$/)),
  ]
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(page, target))
      .map((target) => `${target} in ${page}`),
  )
  expect(broken).toEqual([])
})

function leadsSomewhere(page: string, target: string): boolean {
  const [file = '', place] = target.split('#')
  const path = file === '' ? page : join(dirname(page), file)
  if (!existsSync(join(ROOT, path))) return false
  return place === undefined || placesOf(path).has(place)
}

test('every decision is in the index', () => {
  const index = read('docs/decisions/README.md')
  const pages = readdirSync(join(ROOT, 'docs/decisions')).filter((name) => name !== 'README.md')
  expect(pages.filter((name) => !index.includes(`(${name})`))).toEqual([])
})

test('every decision has question, spec, choice and consequence', () => {
  for (const name of readdirSync(join(ROOT, 'docs/decisions'))) {
    if (name === 'README.md') continue
    const parts = [...read(`docs/decisions/${name}`).matchAll(/^\*\*(\w+)\.\*\*/gm)].map(([, part]) => part)
    expect(parts, name).toEqual(['Question', 'Spec', 'Choice', 'Consequence'])
  }
})

describe('markdown', () => {
  test('replaces a section between its markers and keeps the markers', () => {
    const page = 'a\n<!-- x: begin (by hand) -->\nold\n<!-- x: end -->\nb\n'
    const renewed = replaceSection(page, 'x', 'new')
    expect(renewed).toBe('a\n<!-- x: begin (by hand) -->\n\nnew\n\n<!-- x: end -->\nb\n')
    expect(replaceSection(renewed, 'x', 'new')).toBe(renewed)
    expect(() => replaceSection(page, 'y', 'new')).toThrow('no section y')
  })

  test('citations become links, versions in them do not', () => {
    expect(linkCitations('spec 7, 9.3 (1.7.0); decisions: status codes')).toBe(
      'section [7](api.md#7), [9.3](api.md#9.3) (1.7.0); decisions: [status codes](decisions/README.md#status-codes)',
    )
  })

  test('a bar in a cell does not end it', () => {
    expect(table(['a'], [['x|y']])).toBe('| a |\n|---|\n| x\\|y |')
  })
})
