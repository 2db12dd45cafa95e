import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { ClientSignals } from './client-signals.ts'

/** A request in flight: its response and the client's socket. */
async function aRequest(): Promise<{ response: ServerResponse; client: Socket; close: () => void }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse]
  const close = () => {
    client.destroy()
    server.close()
  }
  return { response, client, close }
}

test('MEM-02: a client that leaves ends its wait', async () => {
  const { response, client, close } = await aRequest()
  const signal = new ClientSignals(new AbortController().signal).signalOf(response)
  expect(signal.aborted).toBe(false)
  client.destroy()
  await once(response, 'close')
  expect(signal.aborted).toBe(true)
  close()
})

test('a request that was answered aborts no signal', async () => {
  const { response, client, close } = await aRequest()
  const signal = new ClientSignals(new AbortController().signal).signalOf(response)
  response.end('done')
  await Promise.all([once(response, 'close'), once(client, 'data')])
  expect(signal.aborted).toBe(false)
  close()
})

test('a shutdown ends every wait, including later ones', async () => {
  const closing = new AbortController()
  const signals = new ClientSignals(closing.signal)
  const requests = await Promise.all([aRequest(), aRequest(), aRequest()])
  const [first, second] = requests.slice(0, 2).map(({ response }) => signals.signalOf(response))
  closing.abort()
  const late = requests.slice(2).map(({ response }) => signals.signalOf(response))
  expect([first, second, ...late].map((signal) => signal?.aborted)).toEqual([true, true, true])
  for (const { close } of requests) close()
})
