import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createMockService } from '@latchkey/mocks'
import { expect, test } from 'vitest'
import { type Report, SECTIONS } from '../src/index.ts'
import { serveMock } from './serve-mock.ts'

const MAIN = join(import.meta.dirname, '../src/main.ts')

async function conformance(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const child = spawn(process.execPath, [MAIN, ...args], { env: { PATH, NODE_COMPILE_CACHE, ...env } })
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { out, err, code: await exit }
}

test('exit 0, a report of every row, and no record left behind if nothing fails; the token may come from the environment', async () => {
  const service = createMockService({ unknownEndpoints: 'answer' })
  const before = await everything(service)
  const { url, close } = await serveMock(service)
  const env = { LATCHKEY_TOKEN: service.managementToken }
  const { out, err, code } = await conformance(
    ['--url', `${url}/v1/`, '--report', 'json', '--decodes-only'],
    env,
  )
  close()
  const report: Report = JSON.parse(out)
  const failed = report.cases.filter(({ outcome }) => outcome === 'failed')
  expect({ err, code, failed }).toEqual({ err: '', code: 0, failed: [] })
  expect(await everything(service)).toEqual(before)
  expect(report.counts).toMatchObject({ failed: 0 })
  expect(report.counts.passed).toBeGreaterThan(100)
  expect(report.sections.map(({ id }) => id)).toEqual(SECTIONS.map(({ id }) => id))
  expect(report.uncovered).toEqual([])
  expect(out).not.toContain(service.managementToken)
})

/** Names of all stored records. A case updates the anonymous token and restores it. */
async function everything({ fetch, baseUrl, managementToken }: ReturnType<typeof createMockService>) {
  const headers = { 'X-Service-Token': managementToken }
  const list = async (path: string) => (await fetch(`${baseUrl}/v1${path}`, { headers })).text()
  const records = await Promise.all(['/acl/tokens', '/acl/policies', '/acl/roles', '/kv/?keys'].map(list))
  return records.map((record) => record.replace(/"ModifyIndex":\d+/g, ''))
}

test('exit 1, and the failed case with its rows of the spec, if a case fails', async () => {
  const service = createMockService({ unknownEndpoints: 'answer' })
  service.failNext('tokens.self', 500, 100)
  const { url, close } = await serveMock(service)
  const { out, code } = await conformance(['--url', url, '--token', service.managementToken, '--only', '4.4'])
  close()
  expect(code).toBe(1)
  expect(out).toContain('FAILED self/record [4.4, 4.1/Read self, 5.2]')
  expect(out).toMatch(/Rows of the spec that failed:\n(?: {2}.+\n)* {2}4\.4 /)
})

test('exit 2, and the usage, if the command line is wrong', async () => {
  const wrong: [string[], RegExp][] = [
    [[], /--url is missing/],
    [['--url', 'latchkey'], /not an http or https URL/],
    [['--url', 'http://a', '--report', 'xml'], /text or json/],
    [['--url', 'http://a', '--fast'], /--fast/],
  ]
  for (const [args, message] of wrong) {
    const { err, code } = await conformance(args)
    expect(code).toBe(2)
    expect(err).toMatch(message)
    expect(err).toContain('pnpm conformance --url')
  }
})

test('exit 2 if no service answers, or one with another API', async () => {
  const unreachable = await conformance(['--url', 'http://127.0.0.1:1'])
  expect([unreachable.code, unreachable.err]).toEqual([2, expect.stringContaining('cannot be reached')])
})
