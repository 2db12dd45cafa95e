/** Spec 8; DOS-01, DOS-07. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, BlockList, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Release } from '@latchkey/service'
import { afterEach, describe, expect, test } from 'vitest'
import { askSocket, socketsOfTest } from '../../../test/open-sockets.ts'
import {
  type ConnectionSlots,
  clientKey,
  connectionSlots,
  limitConnections,
  plainAddress,
} from './connection-limit.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})
const open = socketsOfTest()

interface Limited {
  readonly server: Server
  readonly port: number
  readonly refused: string[]
  /** How many requests reached the handler. */
  readonly handled: () => number
}

async function listen(
  connectionsMax: number,
  options: { answers429?: boolean; trusted?: string; slots?: ConnectionSlots } = {},
): Promise<Limited> {
  let handled = 0
  const refused: string[] = []
  const trustedProxies = new BlockList()
  if (options.trusted) trustedProxies.addAddress(options.trusted)
  const server = createServer((_request, response) => {
    handled += 1
    response.end('ok')
  })
  servers.push(server)
  limitConnections([server], {
    slots: options.slots ?? connectionSlots(connectionsMax),
    answers429: options.answers429 ?? true,
    trustedProxies,
    onRefused: (address) => refused.push(address),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port, refused, handled: () => handled }
}

const REFUSAL =
  'HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/plain\r\nContent-Length: 80\r\nConnection: close\r\n\r\n' +
  'Your IP is issuing too many concurrent connections, please rate limit your calls\n'

describe('the connection over the limit', () => {
  test('is refused before it sends anything, closed, and reaches no handler; the others continue', async () => {
    const { port, refused, handled } = await listen(3)
    const admitted = [await open(port), await open(port), await open(port)]
    const surplus = await open(port)
    const answer = await text(surplus)
    expect(answer).toBe(REFUSAL.replace('80', String(REFUSAL.split('\r\n\r\n')[1]?.length)))
    expect(refused).toEqual(['127.0.0.1'])
    for (const socket of admitted) expect(await askSocket(socket)).toContain('200 OK')
    expect(handled()).toBe(3)
  })

  test('before 1.9: closed without a byte', async () => {
    const { port } = await listen(1, { answers429: false })
    await open(port)
    const surplus = connect(port, '127.0.0.1')
    surplus.on('error', () => {})
    expect(await text(surplus).catch(() => '')).toBe('')
  })

  test('a request that it has already sent gets the same refusal', async () => {
    const { port, handled } = await listen(1)
    await open(port)
    const surplus = connect(port, '127.0.0.1')
    surplus.on('error', () => {})
    surplus.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await text(surplus).catch(() => 'reset')).toMatch(/^(HTTP\/1.1 429 |reset|$)/)
    expect(handled()).toBe(0)
  })
})

test('a connection frees its place when it ends, exactly once', async () => {
  const { server, port, refused } = await listen(2)
  await open(port)
  const countOpen = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))
  for (let i = 0; i < 20; i += 1) {
    const socket = await open(port)
    expect(await askSocket(socket)).toContain('200 OK')
    socket.destroy()
    // The server is notified a moment later.
    await expect.poll(countOpen, { interval: 1 }).toBe(1)
  }
  expect(refused).toEqual([])
})

/** Slots that another process counts. It decides later, when the test lets it. */
class SlotsElsewhere implements ConnectionSlots {
  private readonly own: ReturnType<typeof connectionSlots>
  private readonly waiting: (() => void)[] = []

  constructor(max: number) {
    this.own = connectionSlots(max)
  }

  get asked(): number {
    return this.waiting.length
  }

  take(client: string): Promise<Release | undefined> {
    return new Promise((resolve) => this.waiting.push(() => resolve(this.own.take(client))))
  }

  decide(): void {
    for (const decide of this.waiting.splice(0)) decide()
  }
}

describe('where another process counts', () => {
  const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

  test('a connection waits to be admitted, and what it has sent by then is answered', async () => {
    const slots = new SlotsElsewhere(1)
    const { port, handled } = await listen(1, { slots })
    const first = await open(port)
    first.write(REQUEST)
    const surplus = await open(port)
    surplus.write(REQUEST)
    await expect.poll(() => slots.asked).toBe(2)
    expect(handled()).toBe(0)
    slots.decide()
    expect(String((await once(first, 'data'))[0])).toContain('200 OK')
    expect(await askSocket(first)).toContain('200 OK')
    expect(await text(surplus).catch(() => 'reset')).toMatch(/^(HTTP\/1.1 429 |reset|$)/)
    expect(handled()).toBe(2)
  })

  test('a connection that ends before it is admitted frees its place', async () => {
    const slots = new SlotsElsewhere(1)
    const { server, port } = await listen(1, { slots })
    const gone = await open(port)
    await expect.poll(() => slots.asked).toBe(1)
    gone.resetAndDestroy()
    await expect
      .poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count))))
      .toBe(0)
    slots.decide()
    const next = await open(port)
    await expect.poll(() => slots.asked).toBe(1)
    slots.decide()
    expect(await askSocket(next)).toContain('200 OK')
  })
})

test('0 is no limit; a trusted proxy is not counted', async () => {
  for (const limited of [await listen(0), await listen(1, { trusted: '127.0.0.1' })]) {
    const many = await Promise.all(Array.from({ length: 20 }, () => open(limited.port)))
    expect(await Promise.all(many.map(askSocket))).toHaveLength(20)
    expect(limited.refused).toEqual([])
  }
})

describe('which addresses count as one client', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['::FFFF:10.0.0.1', '10.0.0.1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['', ''],
  ])('plain form of %j is %j', (address, plain) => {
    expect(plainAddress(address)).toBe(plain)
  })

  test.each([
    ['10.0.0.1', '10.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::ffff', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1:2:3:4:5', 'fe80:0:0:1::/64'],
  ])('DOS-07: %s is counted as %s', (address, key) => {
    expect(clientKey(address)).toBe(key)
  })
})
