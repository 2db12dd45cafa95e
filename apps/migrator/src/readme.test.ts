import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../test/io.ts'
import { readScenario } from './scenario/read.ts'
import { renderJsonSchema } from './scenario/schema.ts'
import { WORKLOAD_KINDS } from './scenario/schema-parts.ts'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const blocks = (language: string) =>
  [...README.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, text = '']) => text,
  )

const reports = temporaryFolder('migrator-readme')
const before = process.cwd()
beforeAll(() => process.chdir(fileURLToPath(new URL('..', import.meta.url))))
afterAll(() => process.chdir(before))

describe('commands of the README run, and print what it shows', () => {
  test.each(blocks('console').map((text) => text.split('\n', 1).concat(text)))(
    '%s',
    async (command, block = '') => {
      const argv = command
        .replace('$ latchkey-migrator ', '')
        .replace('--report report', `--report ${reports}`)
      const { code, stdout } = await run(argv.split(' '))
      expect([0, 3]).toContain(code)
      // An ellipsis on its own line matches any lines; at the end of a line, the rest of it.
      let rest = stdout
      for (const line of block.split('\n').slice(1)) {
        const wanted = line.replace(/…$/, '')
        if (wanted.trim() === '') continue
        expect(rest).toContain(wanted)
        rest = rest.slice(rest.indexOf(wanted) + wanted.length)
      }
    },
  )
})

test('the scenario of the README can be read', () => {
  const [example = ''] = blocks('yaml')
  expect(readScenario(example, 'README.md')).toMatchObject({ name: 'three servers, one by one', seed: 1 })
})

test('every event of the README can be read', () => {
  const events = [...README.matchAll(/`(\{ at: 30, kind: [^`]*\}|\{ at: 15[^`]*\}|\{ at: 60[^`]*\})`/g)].map(
    ([, text]) => text,
  )
  expect(events.length).toBeGreaterThan(13)
  for (const event of events) {
    const servers = '[{ id: s1, status: alive }, { id: s2 }, { id: s3 }, { id: s4 }, { id: s5 }]'
    const crash = event?.includes('kind: start,') ? '{ at: 1, kind: crash, server: s1 }, ' : ''
    const text = `datacenters: [{ name: dc1, servers: ${servers} }, { name: dc2, servers: 1 }]\nevents: [${crash}${event}]\n`
    expect(readScenario(text, 'README.md').events.length).toBeGreaterThan(0)
  }
})

test('every field, event and workload of the schema is in the README', () => {
  const names = new Set<string>()
  const collect = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return
    for (const [key, value] of Object.entries(schema)) {
      if (key === 'properties') for (const name of Object.keys(value)) names.add(name)
      if (key === 'const' && typeof value === 'string') names.add(value)
      collect(value)
    }
  }
  collect(JSON.parse(renderJsonSchema()))
  const missing = [...names, ...WORKLOAD_KINDS].filter((name) => !new RegExp(`\\b${name}\\b`).test(README))
  expect(missing).toEqual([])
})
