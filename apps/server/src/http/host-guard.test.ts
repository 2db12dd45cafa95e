/** DNS rebinding, and writes from pages of other origins. Decisions: hosts. */
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { ANY_ORIGIN } from './cors.ts'
import { ANY_HOST, HostGuard } from './host-guard.ts'

interface Sent {
  readonly method?: string
  readonly url?: string
  readonly host?: string
  readonly origin?: string
}

/** A request that was sent to 127.0.0.1, or to another address. */
function requestOf({ method = 'GET', url = '/', ...headers }: Sent, localAddress = '127.0.0.1') {
  const socket = Object.defineProperty(new Socket(), 'localAddress', { value: localAddress })
  const request = new IncomingMessage(socket)
  return Object.assign(request, { method, url, headers })
}

const LOOPBACK = { host: '127.0.0.1', allowedHosts: [] }

function codeOf(guard: HostGuard, sent: Sent, localAddress?: string): string | undefined {
  return guard.refusalOf(requestOf(sent, localAddress))?.code
}

describe('the host of a request', () => {
  test.each([
    'localhost',
    'localhost:8500',
    'LOCALHOST.',
    'app.localhost:1',
    '127.0.0.1',
    '127.0.0.1:8500',
    '127.9.9.9:1',
    '[::1]:8500',
    '[0:0:0:0:0:0:0:1]',
    '',
  ])('%j is a server on loopback', (host) => {
    expect(codeOf(new HostGuard(LOOPBACK), { host })).toBeUndefined()
  })

  test('a request without Host passes: no browser sends one', () => {
    expect(codeOf(new HostGuard(LOOPBACK), {})).toBeUndefined()
  })

  test.each([
    'evil.example',
    'evil.example:8500',
    'localhost.evil.example',
    'evillocalhost',
    '127.0.0.1.evil.example',
    '127.0.0.1@evil.example',
    'evil.example/127.0.0.1',
    '0.0.0.0',
    '10.0.0.1:8500',
    '[::2]',
    '2130706433',
    '0x7f.1',
    'localhost:8500:1',
    'local host',
    '*',
  ])('421 host_not_allowed: %j on a server on loopback', (host) => {
    const guard = new HostGuard(LOOPBACK)
    expect(codeOf(guard, { host })).toBe('host_not_allowed')
    expect(codeOf(guard, { host: 'localhost' })).toBeUndefined()
    expect(codeOf(guard, { host })).toBe('host_not_allowed')
  })

  test('the address that the client connected to is allowed', () => {
    const guard = new HostGuard({ host: 'db.internal', allowedHosts: [] })
    expect(codeOf(guard, { host: '10.0.0.1:8500' }, '::ffff:10.0.0.1')).toBeUndefined()
    expect(codeOf(guard, { host: '[2001:DB8::0:1]' }, '2001:db8::1')).toBeUndefined()
    expect(codeOf(guard, { host: '10.0.0.1:8500' }, '10.0.0.2')).toBe('host_not_allowed')
    expect(codeOf(guard, { host: 'DB.internal:1' }, '10.0.0.2')).toBeUndefined()
  })

  test.each(['0.0.0.0', '::'])('a server on %s accepts any address, but no other name', (host) => {
    const guard = new HostGuard({ host, allowedHosts: [] })
    for (const address of ['10.0.0.1:8500', '203.0.113.9', '[2001:db8::1]:1', 'localhost']) {
      expect(codeOf(guard, { host: address }, '172.17.0.2')).toBeUndefined()
    }
    expect(codeOf(guard, { host: 'evil.example' })).toBe('host_not_allowed')
  })

  test.each(['127.0.0.2', '::1', 'Localhost'])('a server on %s alone takes none of its own names', (host) => {
    const guard = new HostGuard({ host, ownNames: ['consul'], allowedHosts: [] })
    expect(codeOf(guard, { host: 'consul' })).toBe('host_not_allowed')
    const elsewhere = new HostGuard({ host: '10.0.0.1', ownNames: ['consul'], allowedHosts: [] })
    expect(codeOf(elsewhere, { host: 'consul' })).toBeUndefined()
  })

  test('LATCHKEY_ALLOWED_HOSTS adds names and addresses, on any port; * adds all', () => {
    const guard = new HostGuard({
      host: '127.0.0.1',
      allowedHosts: ['Acl.example.com', '10.0.0.9', '2001:db8::0:9'],
    })
    for (const host of ['acl.EXAMPLE.com:443', '10.0.0.9', '[2001:db8::9]']) {
      expect(codeOf(guard, { host })).toBeUndefined()
    }
    expect(codeOf(guard, { host: 'www.acl.example.com' })).toBe('host_not_allowed')
    const open = new HostGuard({ host: '127.0.0.1', allowedHosts: [ANY_HOST] })
    for (const host of ['evil.example', 'a b', '10.0.0.1']) expect(codeOf(open, { host })).toBeUndefined()
  })

  test('a whole URL on the request line is checked in addition to the Host header', () => {
    const guard = new HostGuard(LOOPBACK)
    const url = 'http://evil.example/v1/acl/bootstrap'
    expect(codeOf(guard, { url, host: 'localhost' })).toBe('host_not_allowed')
    expect(codeOf(guard, { url: 'http://localhost:8500/', host: 'evil.example' })).toBe('host_not_allowed')
    expect(codeOf(guard, { url: 'HTTP://localhost:8500/', host: 'localhost' })).toBeUndefined()
  })
})

describe('the origin of a write', () => {
  const guard = new HostGuard({ host: '127.0.0.1', allowedHosts: ['acl.example.com'] })

  test.each([
    ['http://localhost:8500', 'localhost:8500'],
    ['https://acl.example.com', 'acl.example.com'],
    ['https://acl.example.com', 'acl.example.com:443'],
    ['https://acl.example.com:443', 'ACL.example.com'],
    ['http://[::1]:8500', '[::1]:8500'],
  ])('%s may write to %s', (origin, host) => {
    expect(codeOf(guard, { method: 'PUT', origin, host })).toBeUndefined()
  })

  test.each([
    ['http://evil.example', 'localhost:8500'],
    ['http://localhost:3000', 'localhost:8500'],
    ['http://localhost', 'localhost:8500'],
    ['http://127.0.0.1:8500', 'localhost:8500'],
    ['https://acl.example.com:8443', 'acl.example.com'],
    ['null', 'localhost:8500'],
    ['', 'localhost:8500'],
    ['file://', 'localhost'],
    ['nonsense', 'localhost'],
    ['http://evil.example', undefined],
  ])('403 origin_foreign: %j writes to %j', (origin, host) => {
    for (const method of ['PUT', 'POST', 'DELETE', 'PATCH']) {
      const sent = host === undefined ? { method, origin } : { method, origin, host }
      expect(codeOf(guard, sent)).toBe('origin_foreign')
    }
  })

  test('a listed origin may write, and the wildcard lists none', () => {
    const listed = new HostGuard({ ...LOOPBACK, allowedOrigins: ['https://app.example.com', ANY_ORIGIN] })
    const write = { method: 'PUT', host: 'localhost:8500' }
    expect(codeOf(listed, { ...write, origin: 'https://app.example.com' })).toBeUndefined()
    expect(codeOf(listed, { ...write, origin: 'https://evil.example' })).toBe('origin_foreign')
  })

  test('a read may come from any origin; a program sends none', () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      expect(codeOf(guard, { method, origin: 'http://evil.example', host: 'localhost' })).toBeUndefined()
    }
    expect(codeOf(guard, { method: 'PUT', host: 'localhost' })).toBeUndefined()
  })
})
