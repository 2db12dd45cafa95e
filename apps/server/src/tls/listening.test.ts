import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { request } from 'node:https'
import { BlockList } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { Authority } from '../../test/login/certificates.ts'
import { connectionSlots } from '../http/listener/connection-limit.ts'
import { type HttpServer, startHttpServer } from '../http/listener/http-server.ts'
import { type ListenerTls, readListenerTls } from './listener-tls.ts'

const authority = new Authority()
const folder = temporaryFolder('tls')
let ca: string

beforeAll(async () => {
  ca = await authority.certificate()
})

async function newTls(hasClients = false): Promise<ListenerTls> {
  const { cert, key } = await authority.serverOptions('127.0.0.1')
  const paths = {
    tlsCert: join(folder, 'cert.pem'),
    tlsKey: join(folder, 'key.pem'),
    tlsClientCa: hasClients ? join(folder, 'ca.pem') : undefined,
  }
  await Promise.all([
    writeFile(paths.tlsCert, cert),
    writeFile(paths.tlsKey, key),
    writeFile(join(folder, 'ca.pem'), ca),
  ])
  const tls = await readListenerTls(paths)
  if (tls === undefined) throw new Error('there are no files')
  return tls
}

async function start(tls: ListenerTls, listener: RequestListener, connectionsMax = 0) {
  const slots = connectionSlots(connectionsMax)
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    isShared: false,
    connections: { slots, answers429: true, trustedProxies: new BlockList(), onRefused: () => {} },
    listener,
    tls,
  })
  onTestFinished(() => server.close(0))
  return server
}

const OK: RequestListener = (_request, response) => {
  response.end('ok')
}

const portOf = ({ address }: HttpServer) => Number(address.split(':').at(-1))

/** Opens a connection and waits for its handshake. */
async function open(server: HttpServer, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: portOf(server), ca, ...options })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'secureConnect')
  return socket
}

async function ask(server: HttpServer, options: ConnectionOptions = {}): Promise<string> {
  const asked = request({ host: '127.0.0.1', port: portOf(server), ca, agent: false, ...options }).end()
  const [response] = await once(asked, 'response')
  return text(response)
}

test('TLS 1.3 and 1.2 are supported, with forward secrecy and authenticated encryption; older ones are refused', async () => {
  const server = await start(await newTls(), OK)
  expect((await open(server)).getProtocol()).toBe('TLSv1.3')
  const older = await open(server, { maxVersion: 'TLSv1.2' })
  expect([older.getProtocol(), older.getCipher().name]).toEqual(['TLSv1.2', 'ECDHE-ECDSA-AES256-GCM-SHA384'])
  await expect(
    open(server, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }),
  ).rejects.toThrow()
  await expect(open(server, { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' })).rejects.toThrow()
  expect(await ask(server)).toBe('ok')
})

test('new connections get the new certificate, and a request in flight ends on its old connection', async () => {
  const waiting: (() => void)[] = []
  const server = await start(await newTls(), (_request, response) => {
    waiting.push(() => response.end('late'))
  })
  const old = await open(server)
  const serial = old.getPeerCertificate().serialNumber
  old.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n')
  await vi.waitFor(() => expect(waiting).toHaveLength(1), { timeout: 20_000 })
  server.setTls(await newTls())
  expect((await open(server)).getPeerCertificate().serialNumber).not.toBe(serial)
  waiting[0]?.()
  expect(await text(old)).toContain('late')
})

test('with client authorities, a client needs a certificate from one of them', async () => {
  const server = await start(await newTls(true), OK)
  await expect(ask(server)).rejects.toThrow()
  const stranger = await new Authority().serverOptions('127.0.0.1')
  await expect(ask(server, stranger)).rejects.toThrow()
  expect(await ask(server, await authority.serverOptions('127.0.0.1'))).toBe('ok')
})

test('DOS-01: connections are counted before their handshake, and released when they end', async () => {
  const server = await start(await newTls(), OK, 1)
  const only = await open(server)
  await expect(open(server)).rejects.toThrow()
  only.destroy()
  await vi.waitFor(async () => expect(await ask(server)).toBe('ok'), { timeout: 20_000 })
})

test('a connection that never begins its handshake does not delay a shutdown', async () => {
  const { connect: connectPlain } = await import('node:net')
  const server = await start(await newTls(), OK)
  const silent = connectPlain({ host: '127.0.0.1', port: portOf(server) })
  await once(silent, 'connect')
  const closed = once(silent, 'close')
  await server.close(50)
  await closed
  // Before the time limit of handshakes, which would also end it.
}, 9_000)
