/** Repeated requests that wait, whose clients leave or do not read, that fail, or whose server stops. */
import { once } from 'node:events'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { converse, LONG, open, openKnown, read, received, start, write } from '../../../test/echo-server.ts'
import { ClientSignals } from '../api/client-signals.ts'
import { STARTS_PER_TURN_MAX } from '../app.ts'

test('a server that drains leaves all reads to Node, so that their connections end', async () => {
  const { port, repeated, server } = await start()
  const socket = await open(port)
  for (let i = 0; i < 4; i += 1) {
    socket.write(read('token/self'))
    await once(socket, 'data')
  }
  server.drain()
  socket.write(read('token/self'))
  const [last] = await once(socket, 'data')
  expect([repeated.length, String(last).includes('Connection: close')]).toEqual([3, true])
})

const WAIT = 'token/1?index=5'

test('a wait ends when its client leaves, and its connection is not idle until then', async () => {
  const { port, repeated, service, latest } = await start()
  const socket = await openKnown(port)
  socket.write(read('token/slow'))
  await once(socket, 'data')
  expect(latest()?.timeout).toBeGreaterThan(60_000)
  socket.write(read(WAIT))
  await expect.poll(() => repeated.at(-1)).toBe(`/v1/acl/${WAIT}`)
  expect(latest()?.timeout).toBe(0)
  expect(service.aborted).toEqual([])
  socket.destroy()
  await expect.poll(() => service.aborted).toEqual([`/v1/acl/${WAIT}`])
})

test('a wait is answered by Node before the request behind it, and the service runs it once', async () => {
  const closing = new AbortController()
  const { port, service, handedOver } = await start({ closing: closing.signal })
  const socket = await openKnown(port)
  const answers = received(socket)
  socket.write(read(WAIT))
  await expect.poll(() => service.asked.at(-1)).toBe(`/v1/acl/${WAIT}`)
  socket.write(read('token/behind'))
  await expect.poll(handedOver).toBe(1)
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  expect(answers.text()).toBe('')
  closing.abort()
  await expect.poll(() => answers.text()).toMatch(/index=5 a ;HTTP.*\/behind a ;/s)
  expect(service.asked.filter((url) => url.includes('index='))).toHaveLength(1)
})

test.each(['drain', 'close'] as const)('a wait is answered before its connection ends: %s', async (how) => {
  const closing = new AbortController()
  const { port, service, server } = await start({ closing: closing.signal })
  const socket = await openKnown(port)
  const idle = await openKnown(port)
  const answers = received(socket)
  socket.write(read(WAIT))
  await expect.poll(() => service.asked.at(-1)).toBe(`/v1/acl/${WAIT}`)
  const ended = Promise.all([socket, ...(how === 'close' ? [idle] : [])].map((each) => once(each, 'close')))
  const stopped = how === 'close' ? server.close(20_000) : server.drain()
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  expect(answers.text()).toBe('')
  closing.abort()
  await ended
  expect(answers.text()).toMatch(/\?index=5 a ;$/)
  expect(answers.text().includes('Connection: close')).toBe(how === 'drain')
  await stopped
})

test('a write is logged even if its client leaves before the answer', async () => {
  const logged: string[] = []
  const { port, repeated } = await start({ accessLog: (_reply, { url }) => logged.push(url) })
  const leaveAfter = async (pieces: readonly string[], url: string) => {
    const socket = await openKnown(port)
    // Its headers are known from now on.
    for (let i = 0; i < 2; i += 1) {
      socket.write(write('body'))
      await once(socket, 'data')
    }
    const before = repeated.length
    socket.setNoDelay(true)
    for (const piece of pieces) {
      socket.write(piece)
      await expect.poll(() => repeated.length, { interval: 0 }).toBeGreaterThan(before)
    }
    socket.resetAndDestroy()
    await expect.poll(() => logged.at(-1)).toBe(url)
  }
  await leaveAfter([write('body', 'token/slow')], '/v1/acl/token/slow')
  await leaveAfter([write('body', 'slow/huge')], '/v1/acl/slow/huge')
  await leaveAfter([write('body', 'slow'), read('token/self')], '/v1/acl/slow')
})

test('writes that a draining server hands over are logged even if all their clients leave', async () => {
  const logged: string[] = []
  const { port, server, service } = await start({ accessLog: (_reply, { url }) => logged.push(url) })
  const count = 3 * STARTS_PER_TURN_MAX
  const sockets = await Promise.all(Array.from({ length: count }, () => openKnown(port)))
  for (const socket of sockets) {
    socket.write(write('body'))
    await once(socket, 'data')
  }
  const before = service.asked.length
  for (const socket of sockets) socket.write(write('body', 'token/slow/'))
  await expect.poll(() => service.asked.length, { interval: 0 }).toBe(before + count)
  server.drain()
  for (const socket of sockets) socket.resetAndDestroy()
  await expect.poll(() => logged.filter((url) => url.endsWith('/slow/'))).toHaveLength(count)
})

test('a request that is handed over to Node keeps its id and its arrival time', async () => {
  const logged: { readonly requestId: string; readonly ms: number }[] = []
  const closing = new AbortController()
  const { port, service } = await start({
    closing: closing.signal,
    accessLog: (_reply, { requestId }, ms) => logged.push({ requestId, ms }),
  })
  const socket = await openKnown(port)
  const asked = service.ids.length
  socket.write(read('token/1?index=5&then=/huge'))
  await expect.poll(() => service.ids.length).toBe(asked + 1)
  await sleep(60)
  const count = logged.length
  closing.abort()
  await expect.poll(() => logged.length).toBe(count + 1)
  expect(logged.at(-1)?.ms).toBeGreaterThan(50)
  expect(logged.at(-1)?.requestId).toBe(service.ids.at(-1))
})

test('an error while answering closes the connection, and the server keeps running', async () => {
  const { port, service } = await start()
  const socket = await openKnown(port)
  for (const fails of [
    () => {
      throw new Error('at once')
    },
    () => Promise.reject(new Error('later')),
  ]) {
    const failing = await openKnown(port)
    const reply = vi.spyOn(service, 'reply').mockImplementationOnce(fails)
    failing.write(read('token/self'))
    await once(failing, 'close')
    reply.mockRestore()
  }
  socket.write(read('token/self'))
  expect(String((await once(socket, 'data'))[0])).toContain('200 OK')
})

test('a refused request leaves no wait behind', async () => {
  const { port } = await start()
  const refused = read('token/1?index=5').replace('127.0.0.1', 'evil.example')
  const [begin, end] = [vi.spyOn(ClientSignals.prototype, 'begin'), vi.spyOn(ClientSignals.prototype, 'end')]
  const answers = await converse(port, [refused, refused, refused, refused])
  expect(answers.every((answer) => /HTTP\/1.1 4\d\d/.test(answer))).toBe(true)
  await expect.poll(() => end.mock.calls.length).toBe(begin.mock.calls.length)
})

test('long bodies arrive intact, and their pieces are freed once Node has parsed them', async () => {
  const { port, repeated } = await start()
  const socket = await openKnown(port)
  const answers = received(socket)
  const freed = vi.spyOn(ArrayBuffer.prototype, 'transfer')
  const body = Array.from({ length: 60_000 }, (_, i) => i.toString(36)).join('')
  socket.write(write(body) + read('token/1') + write(body) + read('token/2'))
  await expect.poll(() => answers.text().length).toBeGreaterThan(2 * body.length)
  await expect.poll(() => answers.text()).toContain('/token/2 a ;')
  expect(answers.text().split(body)).toHaveLength(3)
  expect(freed.mock.calls.length).toBeGreaterThan(2)
  const before = repeated.length
  socket.write(read('token/3'))
  await expect.poll(() => answers.text()).toContain('/token/3 a ;')
  // The start of the last request is unknown until a complete request has arrived.
  socket.write(read('token/4'))
  await expect.poll(() => repeated.length).toBe(before + 1)
})

test('repeated writes start within the limit of a turn', async () => {
  const { port, service } = await start()
  const sockets = await Promise.all(Array.from({ length: 40 }, () => openKnown(port)))
  for (let i = 0; i < 3; i += 1) {
    for (const socket of sockets) socket.write(write('body'))
    await Promise.all(sockets.map((socket) => once(socket, 'data')))
  }
  const before = service.asked.length
  const answered = Promise.all(sockets.map((socket) => once(socket, 'data')))
  for (const socket of sockets) socket.write(write('body'))
  const perTurn: number[] = []
  while (service.asked.length < before + sockets.length) {
    const count = service.asked.length
    await nextTurn()
    perTurn.push(service.asked.length - count)
  }
  await answered
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(2 * STARTS_PER_TURN_MAX)
})

test('a read with known headers waits for all earlier answers, on both paths', async () => {
  const { port, repeated, latest } = await start()
  const socket = await open(port)
  const answers = received(socket)
  for (let i = 1; i <= 4; i += 1) {
    socket.write(read('token/self'))
    await once(socket, 'data')
  }
  const line = latest()
  const order = () =>
    [...answers.text().matchAll(/\w+ \/v1\/acl\/token(\S*) \w+ \w*;/g)].slice(4).map(([, end]) => end)
  // Both reach the server in one turn.
  line?.emit('data', Buffer.from(read('token/slow')))
  line?.emit('data', Buffer.from(read('token/self')))
  await expect.poll(order).toEqual(['/slow', '/self'])
  expect(repeated.at(-1)).toBe('/v1/acl/token/slow')
  for (let i = 1; i <= 3; i += 1) {
    socket.write(read('token/self'))
    await once(socket, 'data')
  }
  line?.emit('data', Buffer.from(read('token/self')))
  line?.emit('data', Buffer.from(write('last')))
  await expect.poll(() => order().slice(5)).toEqual(['/self', ''])
})

test('a client that does not read gets its answers in order, and few are made in advance', async () => {
  const { port, repeated, latest } = await start()
  await converse(port, Array(4).fill(read('token/self')))
  const socket = await open(port)
  const count = 500
  // Otherwise the kernel collects requests until earlier ones are acknowledged.
  socket.setNoDelay(true).pause()
  let queued = 0
  for (let i = 0; i < count; i += 1) {
    socket.write(read(`token/${i}/long`))
    for (let turn = 0; turn < 3; turn += 1) await nextTurn()
    queued = Math.max(queued, latest()?.writableLength ?? 0)
  }
  expect(queued).toBeLessThan(4 * LONG.length)
  const answers = received(socket)
  socket.resume()
  const urls = () =>
    [...answers.text().matchAll(/GET \/v1\/acl\/token\/(\d+)\/long a ;/g)].map(([, i]) => Number(i))
  await expect.poll(() => urls().length, { timeout: 20_000 }).toBe(count)
  expect(urls()).toEqual(Array.from({ length: count }, (_, i) => i))
  expect(repeated.length).toBeGreaterThan(2)
})
