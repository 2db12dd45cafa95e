/** The tour of docs/tour.md, as a reader types it, against a server as a reader starts it. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runServer } from '@latchkey/testkit/process/server-process'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { expect, test } from 'vitest'
import { createTestDatabase } from './database.ts'
import { atEndOfFile } from './end-of-file.ts'

const TOUR = join(import.meta.dirname, '../../../docs/tour.md')
/** The address of the server in the tour. */
const SHOWN_URL = 'http://127.0.0.1:8500'
/** Separates the answers of two commands. */
const SEPARATOR = '\u001e'

/** A command of the tour, and the answer that the page shows; undefined if it shows none. */
interface Step {
  readonly command: string
  readonly shown: string | undefined
}

const folder = temporaryFolder('tour')
const { url: DATABASE_URL } = await createTestDatabase()
const server = await runServer({ DATABASE_URL, LATCHKEY_DATA_DIR: join(folder, 'data') })
atEndOfFile(() => server.stop())

/** The steps of the page, in order: a shell block, and the answer block that follows it. */
async function readTour(): Promise<readonly Step[]> {
  const tour = await readFile(TOUR, 'utf8')
  const blocks = [...tour.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, kind, text = '']) => ({
    kind,
    text,
  }))
  return blocks.flatMap(({ kind, text }, i) => {
    const next = blocks[i + 1]
    return kind === 'sh' ? [{ command: text, shown: next?.kind === 'sh' ? undefined : next?.text }] : []
  })
}

/** Runs all commands in one shell, because later ones use variables of earlier ones. */
async function run(steps: readonly Step[]): Promise<readonly string[]> {
  const script = steps.map(({ command }) => `${command}\nprintf '${SEPARATOR}'\n`).join('')
  const { stdout } = await promisify(execFile)(
    'bash',
    // If standard input is a socket, bash may behave like a remote shell and read start-up files.
    ['--norc', '-euo', 'pipefail', '-c', script.replaceAll(SHOWN_URL, server.url)],
    { cwd: folder },
  )
  return stdout.split(SEPARATOR).slice(0, -1)
}

/**
 * Makes texts comparable: replaces each value that differs from run to run by the number of its first appearance. Ids,
 * times, hashes and indexes may differ, but equal values must be equal in both texts.
 */
function createNormalizer(): (text: string) => string {
  const seen = new Map<string, string>()
  const nameOf = (kind: string, value: string) => {
    const known = seen.get(`${kind} ${value}`)
    if (known) return known
    const name = `${kind} ${[...seen.keys()].filter((key) => key.startsWith(`${kind} `)).length + 1}`
    seen.set(`${kind} ${value}`, name)
    return name
  }
  return (text) =>
    compact(text)
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) =>
        id.startsWith('00000000-') ? id : nameOf('id', id),
      )
      .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, (time) => nameOf('time', time))
      .replace(/(?<="Hash":")[^"]+/g, (hash) => nameOf('hash', hash))
      .replace(/(?<="(?:Create|Modify)Index":)\d+/g, (index) => nameOf('index', index))
      .replace(/(?<="requestId":")[^"]+/g, 'request')
}

/** JSON without line breaks, and with its keys in order; other text unchanged. */
function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text.trim()
  }
}

test('every command of the tour answers as the page shows it', async () => {
  const steps = await readTour()
  const answers = await run(steps)
  expect(answers).toHaveLength(steps.length)
  const [ofPage, ofRun] = [createNormalizer(), createNormalizer()]
  for (const [i, { command, shown }] of steps.entries()) {
    const answer = answers[i] ?? ''
    if (shown === undefined) expect(answer, command).toBe('')
    else expect(ofRun(answer), command).toBe(ofPage(shown))
  }
})

test('the tour shows bootstrap, policy, role, token, self, update, clone, list and delete', async () => {
  const commands = (await readTour()).map(({ command }) => command).join('\n')
  for (const part of [
    'PUT "$LATCHKEY_ADDR/v1/acl/bootstrap"',
    'PUT "$LATCHKEY_ADDR/v1/acl/policy"',
    'PUT "$LATCHKEY_ADDR/v1/acl/role"',
    '"ExpirationTTL": "8h"',
    '/v1/acl/token/self',
    'PUT "$LATCHKEY_ADDR/v1/acl/token/$ACCESSOR"',
    '/clone"',
    '/v1/acl/tokens?role=',
    '-X DELETE',
  ]) {
    expect(commands).toContain(part)
  }
})
