/** Writes reports: the page for people, the result for programs, and the inputs without secrets. */
import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import { isScalar, type Node, parseAllDocuments, visit } from 'yaml'
import type { DumpSource } from '../dump/read-dump.ts'
import { type Document, renderPage } from '../output/document.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { jsonLine } from './command.ts'
import { makeOutputDirectory, writeOutputFile } from './output-file.ts'

const HIDDEN = '<hidden>'
/** Shorter secrets are hidden only where they are values; longer ones are also hidden in comments and inside words. */
const SECRET_LENGTH_MIN = 8

/** The text of a scenario, in which the IDs of its token records are hidden in any notation. */
export function hideSecrets(text: string, { tokens }: Pick<Scenario, 'tokens'>): string {
  const secrets = new Set(tokens.flatMap(({ secret }) => secret ?? []))
  if (secrets.size === 0) return text
  const ranges: (readonly [number, number])[] = []
  const collect = (node: Node) => {
    if (isScalar(node) && node.range && secrets.has(String(node.value)))
      ranges.push([node.range[0], node.range[1]])
  }
  for (const doc of parseAllDocuments(text)) visit(doc, { Scalar: (_, node) => collect(node) })
  const cut = ranges
    .sort(([a], [b]) => b - a)
    .reduce((rest, [from, to]) => rest.slice(0, from) + JSON.stringify(HIDDEN) + rest.slice(to), text)
  return [...secrets]
    .filter(({ length }) => length >= SECRET_LENGTH_MIN)
    .reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), cut)
}

/** Wraps a dump to compute its hash, which is available after the dump was read to its end. */
export function hashed(source: DumpSource): { readonly source: DumpSource; readonly hash: () => string } {
  const sha256 = createHash('sha256')
  async function* chunks() {
    for await (const chunk of source.chunks) {
      sha256.update(chunk)
      yield chunk
    }
  }
  return { source: { ...source, chunks: chunks() }, hash: () => sha256.digest('hex') }
}

export function writeReport(
  path: string,
  { document, json, scenarioText }: { document: Document; json: unknown; scenarioText: string },
): void {
  makeOutputDirectory(dirname(path))
  writeOutputFile(`${path}.html`, renderPage(document, scenarioText))
  writeOutputFile(`${path}.json`, jsonLine(json))
}
