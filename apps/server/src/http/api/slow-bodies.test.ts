/** DOS-02: slow senders of long bodies, beside ordinary clients of the same and of other addresses, over real sockets. */
import { once } from 'node:events'
import { createServer, type RequestListener, request as send } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { WireReply, WireRequest } from '@latchkey/service'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { appOptions } from '../../../test/app-options.ts'
import { createApp } from '../app.ts'
import { plainAddress } from '../listener/connection-limit.ts'

const SLOW = 150
const ANNOUNCED = 524_000
const ORDINARY = 20_000

/** Reads a body, and answers with its length. The header `token` stands for a valid token. */
async function reply(wire: WireRequest): Promise<WireReply> {
  const answer = { headers: {}, endpoint: undefined, accessorId: undefined }
  try {
    const { length } = await wire.readBody(1_048_576, wire.header('token'))
    return { status: 200, body: String(length), ...answer }
  } catch (error) {
    return { status: 503, body: String(error), ...answer }
  }
}

let port = 0
let close = () => {}
const slow: Socket[] = []

beforeEach(async () => {
  const clientOf = ({ socket }: { readonly socket: Pick<Socket, 'remoteAddress'> }) =>
    plainAddress(socket.remoteAddress ?? '')
  const { listener } = createApp(appOptions({ reply }, { clientOf, fastLane: false }))
  const server = createServer(listener as RequestListener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
  close = () => {
    server.closeAllConnections()
    server.close()
  }
})
afterEach(() => {
  for (const socket of slow.splice(0)) socket.destroy()
  close()
})

/** Announces a long body, and sends a few bytes of it. */
async function startSlow(localAddress: string, token: string): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  socket.on('error', () => {})
  slow.push(socket)
  await once(socket, 'connect')
  socket.write(
    `PUT /v1/kv/a HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\ntoken: ${token}\r\nContent-Length: ${ANNOUNCED}\r\n\r\n`,
  )
  socket.write('x'.repeat(20))
}

async function put(localAddress: string, token: string): Promise<number | undefined> {
  const request = send({
    port,
    host: '127.0.0.1',
    localAddress,
    method: 'PUT',
    path: '/v1/kv/b',
    headers: { token },
  })
  request.end('x'.repeat(ORDINARY))
  const [response] = await once(request, 'response')
  response.resume()
  return response.statusCode
}

async function ordinary(): Promise<Record<string, (number | undefined)[]>> {
  const rounds = Array.from({ length: 5 })
  const of = (address: string, token: string) => Promise.all(rounds.map(() => put(address, token)))
  return { 'its address': await of('127.0.0.1', 'ordinary'), another: await of('127.0.0.2', 'ordinary') }
}

const ALL_WRITTEN = { 'its address': [200, 200, 200, 200, 200], another: [200, 200, 200, 200, 200] }

test('DOS-02: 150 slow senders of one address with one token delay nobody else', async () => {
  await Promise.all(Array.from({ length: SLOW }, () => startSlow('127.0.0.1', 'slow')))
  expect(await ordinary()).toEqual(ALL_WRITTEN)
})

test('DOS-02: with a token each, they delay others of their address by no more than one wait', async () => {
  await Promise.all(Array.from({ length: SLOW }, (_, i) => startSlow('127.0.0.1', `slow-${i}`)))
  expect(await ordinary()).toEqual(ALL_WRITTEN)
})

test('DOS-02: nor does one token from many addresses', async () => {
  await Promise.all(Array.from({ length: SLOW }, (_, i) => startSlow(`127.0.1.${1 + (i % 50)}`, 'slow')))
  expect(await ordinary()).toEqual(ALL_WRITTEN)
})
