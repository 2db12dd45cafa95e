import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer as createTcpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { Authority } from '../../test/login/certificates.ts'
import { checkCertificates, checkListener } from './certificates.ts'

const folder = temporaryFolder('certificates')
const authority = new Authority()
const DAY_MS = 86_400_000
const ADDRESS = '127.0.0.1'

beforeAll(() => {
  mkdirSync(folder, { recursive: true })
})

/** A certificate that is valid for some days, or has expired. */
function certificate(days: number) {
  return authority.serverOptions(ADDRESS, new Date(Date.now() + days * DAY_MS))
}

function file(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

function check(content: string) {
  return checkCertificates({ LATCHKEY_TLS_CERT: file('cert.pem', content) }, Date.now())[0]
}

test('names a certificate that has expired, expires soon, or is not a certificate', async () => {
  expect(check((await authority.serverOptions(ADDRESS)).cert)?.level).toBe('ok')
  expect(check((await certificate(-3)).cert)).toMatchObject({
    level: 'fail',
    found: expect.stringMatching(/^LATCHKEY_TLS_CERT \(.*cert\.pem\) expired on \d{4}-/),
  })
  expect(check((await certificate(0.5)).cert)?.level).toBe('warn')
  expect(check('no certificate')).toMatchObject({
    level: 'fail',
    found: expect.stringContaining('LATCHKEY_TLS_CERT'),
  })
})

test('names the certificate of a chain that has expired, and one that is not valid yet', async () => {
  const [good, expired] = [await authority.serverOptions(ADDRESS), await certificate(-3)]
  expect(check(good.cert + expired.cert)).toMatchObject({
    level: 'fail',
    found: expect.stringMatching(/^CN=Server in .* expired on/),
  })
  const later = await certificate(40)
  expect(check(later.cert)).toMatchObject({
    level: 'fail',
    found: expect.stringContaining('is not valid before'),
  })
})

/** The findings about a listener at the address of a server. */
async function checkAt(server: Server, cert: string, key: string) {
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return checkListener({
    host: ADDRESS,
    port,
    tlsCert: file('cert.pem', cert),
    tlsKey: file('key.pem', key),
    tlsClientCa: undefined,
  })
}

test('says whether the server that runs presents the certificate of the file', async () => {
  const [one, other] = [await authority.serverOptions(ADDRESS), await authority.serverOptions(ADDRESS)]
  expect(await checkAt(createServer(one), one.cert, one.key)).toMatchObject([{ level: 'ok' }])
  expect(await checkAt(createServer(one), other.cert, other.key)).toMatchObject([
    { level: 'warn', found: expect.stringContaining('another certificate') },
  ])
  expect(await checkAt(createTcpServer(), one.cert, one.key)).toMatchObject([
    { level: 'fail', found: expect.stringContaining('there is no TLS') },
  ])
})

test('names a key that does not match its certificate, and reports no listener if no server runs', async () => {
  const [one, other] = [await authority.serverOptions(ADDRESS), await authority.serverOptions(ADDRESS)]
  expect(await checkAt(createServer(one), one.cert, other.key)).toMatchObject([
    { level: 'fail', found: expect.stringContaining('LATCHKEY_TLS_KEY') },
  ])
  const paths = {
    tlsCert: file('cert.pem', one.cert),
    tlsKey: file('key.pem', one.key),
    tlsClientCa: undefined,
  }
  expect(await checkListener({ host: ADDRESS, port: 1, ...paths })).toEqual([])
})
