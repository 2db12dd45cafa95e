import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { Authority } from '../../test/login/certificates.ts'
import { CertificateWatch, noticeDays } from './certificate-watch.ts'
import { readListenerTls } from './listener-tls.ts'

const DAY_MS = 86_400_000
const authority = new Authority()
const folder = temporaryFolder('tls')
const paths = { tlsCert: join(folder, 'cert.pem'), tlsKey: join(folder, 'key.pem'), tlsClientCa: undefined }

async function write(notAfter?: Date): Promise<void> {
  const { cert, key } = await authority.serverOptions('127.0.0.1', notAfter)
  await Promise.all([writeFile(paths.tlsCert, cert), writeFile(paths.tlsKey, key)])
}

beforeAll(() => write())

/** @param lookMs rarely by default, so that only SIGHUP triggers a check. */
async function watch(lookMs = 1_000_000) {
  const current = await readListenerTls(paths)
  if (current === undefined) throw new Error('there are no files')
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const apply = vi.fn()
  const watching = new CertificateWatch({ paths, current, apply, log, lookMs })
  onTestFinished(() => watching.stop())
  return { watching, apply, log }
}

test('new files take effect by themselves', async () => {
  const { watching, apply } = await watch(20)
  await write(new Date('2033-01-01T00:00:00Z'))
  await vi.waitFor(() => expect(apply).toHaveBeenCalledTimes(1), { timeout: 20_000 })
  expect(watching.expiresAt).toBe(Date.parse('2033-01-01T00:00:00Z'))
})

test('new files take effect at SIGHUP', async () => {
  const { apply } = await watch()
  await write()
  process.emit('SIGHUP')
  await vi.waitFor(() => expect(apply).toHaveBeenCalledTimes(1), { timeout: 20_000 })
})

test('while files do not match each other, the old ones stay in use, and one log line says so', async () => {
  const { apply, log } = await watch(20)
  const { cert, key } = await authority.serverOptions('127.0.0.1')
  // Written atomically: a half-written file would be a different problem.
  await writeFile(`${paths.tlsCert}.new`, cert)
  await rename(`${paths.tlsCert}.new`, paths.tlsCert)
  await vi.waitFor(() => expect(log.error).toHaveBeenCalledTimes(1), { timeout: 20_000 })
  expect(apply).not.toHaveBeenCalled()
  await writeFile(paths.tlsKey, key)
  await vi.waitFor(() => expect(apply).toHaveBeenCalledTimes(1), { timeout: 20_000 })
  expect(log.error).toHaveBeenCalledTimes(1)
})

test.for([
  [30 * DAY_MS + 1, undefined],
  [30 * DAY_MS, 30],
  [7 * DAY_MS + 1, 30],
  [7 * DAY_MS, 7],
  [DAY_MS + 1, 7],
  [DAY_MS, 1],
  [1, 1],
  [0, 0],
  [-1, 0],
] as const)('a certificate with %i ms left has a notice of %s days', ([msLeft, days]) => {
  expect(noticeDays(msLeft)).toBe(days)
})

test('a certificate that expires within a week is logged once, and an expired one as an error', async () => {
  await write(new Date(Date.now() + 6 * DAY_MS))
  const { log } = await watch()
  expect(log.warn.mock.calls.map(([, text]) => text)).toEqual([
    'the TLS certificate expires in less than 7 days',
  ])
  await write(new Date(Date.now() - DAY_MS))
  process.emit('SIGHUP')
  await vi.waitFor(() => expect(log.error).toHaveBeenCalledTimes(1), { timeout: 20_000 })
  process.emit('SIGHUP')
  await vi.waitFor(() => expect(log.info).toHaveBeenCalledWith('the TLS files have not changed'), {
    timeout: 20_000,
  })
  expect([log.warn.mock.calls.length, log.error.mock.calls.length]).toEqual([1, 1])
})

test('a new certificate that expires within a week is logged like the one before it', async () => {
  await write(new Date(Date.now() + 6 * DAY_MS))
  const { log } = await watch()
  await write(new Date(Date.now() + 5 * DAY_MS))
  process.emit('SIGHUP')
  await vi.waitFor(() => expect(log.warn).toHaveBeenCalledTimes(2), { timeout: 20_000 })
})

test('a watch that was stopped does not hear SIGHUP', async () => {
  const before = process.listenerCount('SIGHUP')
  const { watching } = await watch()
  expect(process.listenerCount('SIGHUP')).toBe(before + 1)
  watching.stop()
  expect(process.listenerCount('SIGHUP')).toBe(before)
})
