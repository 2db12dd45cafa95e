import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { LISTENS, startCommand, startReady } from '@latchkey/testkit/process/server-process'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from './database.ts'
import { Authority } from './login/certificates.ts'
import { MANAGEMENT, SERVER_ENV } from './shared-env.ts'

const authority = new Authority()

const folder = temporaryFolder('tls')
const [LATCHKEY_TLS_CERT, LATCHKEY_TLS_KEY] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
const FILES = { LATCHKEY_DATA_DIR: folder, LATCHKEY_TLS_CERT, LATCHKEY_TLS_KEY }

async function writeCertificate(): Promise<void> {
  const { cert, key } = await authority.serverOptions('127.0.0.1')
  await Promise.all([writeFile(LATCHKEY_TLS_CERT, cert), writeFile(LATCHKEY_TLS_KEY, key)])
}

async function serialOf(port: number, ca: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, ca })
  await once(socket, 'secureConnect')
  const { serialNumber } = socket.getPeerCertificate()
  socket.destroy()
  return serialNumber
}

test('two workers answer https, use new files after SIGHUP, and report when the certificate expires', async () => {
  const database = await createTestDatabase()
  await writeCertificate()
  const ca = await authority.certificate()
  const server = await startReady(
    [],
    { DATABASE_URL: database.url, ...FILES, ...SERVER_ENV, LATCHKEY_WORKERS: '2' },
    LISTENS,
  )
  onTestFinished(() => server.stop())
  expect(server.found).toMatch(/^https:/)
  const port = Number(new URL(server.found).port)
  const asked = request(`${server.found}/v1/agent/metrics?format=prometheus`, {
    ca,
    headers: { 'X-Service-Token': MANAGEMENT },
  }).end()
  const [response] = await once(asked, 'response')
  expect(await text(response)).toMatch(/^latchkey_tls_certificate_expiry_timestamp_seconds \d+/m)
  const old = await serialOf(port, ca)
  await writeCertificate()
  server.process.kill('SIGHUP')
  const seen = () => Promise.all(Array.from({ length: 16 }, () => serialOf(port, ca)))
  // Either worker may get a connection.
  await expect.poll(async () => (await seen()).includes(old)).toBe(false)
})

test('SIGHUP does not end a server that waits for its database', async () => {
  await writeCertificate()
  const {
    process: child,
    log,
    ended,
  } = startCommand([], { DATABASE_URL: 'postgresql://user@127.0.0.1:1/latchkey', ...FILES })
  await expect.poll(log, { timeout: 20_000 }).toContain('waiting for the database')
  child.kill('SIGHUP')
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ exitCode: 0, signal: null })
})

test.for(['1', '2'])(
  'SIGHUP does not end a server that drains, with LATCHKEY_WORKERS=%s',
  async (workers) => {
    const database = await createTestDatabase()
    await writeCertificate()
    const server = await startReady(
      [],
      {
        DATABASE_URL: database.url,
        ...FILES,
        ...SERVER_ENV,
        LATCHKEY_WORKERS: workers,
        LATCHKEY_DRAIN_TIME: '3s',
      },
      LISTENS,
    )
    onTestFinished(() => server.stop('SIGKILL'))
    const ca = await authority.certificate()
    const probe = async () => {
      const [response] = await once(request(`${server.found}/readyz`, { ca, agent: false }).end(), 'response')
      await text(response)
      return response.statusCode
    }
    // A server drains only if it was probed, and either worker may get the probe.
    for (let i = 0; i < 16; i += 1) expect(await probe()).toBe(200)
    server.process.kill('SIGTERM')
    await expect.poll(probe).toBe(503)
    server.process.kill('SIGHUP')
    expect(await probe()).toBe(503)
    expect(await once(server.process, 'exit')).toEqual([0, null])
  },
)
