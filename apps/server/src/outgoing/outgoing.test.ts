import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HOSTILE_ANSWERS, startHostileServer } from '@latchkey/testkit/process/hostile-server'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { Outgoing, OutgoingError, type OutgoingOptions } from './outgoing.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
})

/** A server that counts its requests. */
async function serve(answer: RequestListener) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(request.url ?? '')
    answer(request, response)
  })
  servers.push(server)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return { seen, port, url: `http://127.0.0.1:${port}/` }
}

const development = new Outgoing({ allowHttp: true })

async function failureOf(outgoing: Outgoing, url: string, bytesMax = 1_000): Promise<string> {
  try {
    await outgoing.read({ url, bytesMax })
  } catch (error) {
    if (error instanceof OutgoingError) return error.failure
    throw error
  }
  return 'answered'
}

/** Resolves every name to the same addresses. */
function resolving(...addresses: readonly string[]): OutgoingOptions['resolve'] {
  const resolve = (_host: string, _options: unknown, done: (error: null, found: object[]) => void) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  return resolve as unknown as OutgoingOptions['resolve']
}

describe('SSRF-01: URLs', () => {
  test.each([
    ['http://provider.example/keys', 'URL not allowed'],
    ['file:///etc/passwd', 'URL not allowed'],
    ['ftp://provider.example/', 'URL not allowed'],
    ['https://user:secret@provider.example/', 'URL not allowed'],
    ['https://provider.example/#part', 'URL not allowed'],
    ['not a URL', 'URL not allowed'],
    ['https://169.254.169.254/latest/meta-data', 'address not allowed'],
    ['https://[fe80::1]/', 'address not allowed'],
    ['https://[::ffff:169.254.169.254]/', 'address not allowed'],
    ['https://[64:ff9b::a9fe:a9fe]/', 'address not allowed'],
    ['https://168.63.129.16/machine?comp=goalstate', 'address not allowed'],
    ['https://[64:ff9b::6464:64c8]/', 'address not allowed'],
    ['https://[fd00:ec2::23]/v1/credentials', 'address not allowed'],
    ['https://[fd20:ce::254]/', 'address not allowed'],
    ['https://0.0.0.0/', 'address not allowed'],
    ['https://2852039166/', 'address not allowed'],
    ['https://224.0.0.1/', 'address not allowed'],
    ['https://127.0.0.1/', 'address not allowed'],
    ['https://[::1]/', 'address not allowed'],
    ['https://metadata.google.internal/', 'address not allowed'],
    ['https://METADATA.google.internal./', 'address not allowed'],
  ])('%s: %s', async (url, failure) => {
    expect(await failureOf(new Outgoing({ allowHttp: false }), url)).toBe(failure)
  })

  test('if hosts are listed, all others are refused', async () => {
    const outgoing = new Outgoing({
      allowHttp: false,
      hosts: ['idp.example'],
      resolve: resolving('169.254.1.1'),
    })
    expect(await failureOf(outgoing, 'https://other.example/')).toBe('URL not allowed')
    expect(await failureOf(outgoing, 'https://idp.example/')).toBe('address not allowed')
    const any = new Outgoing({ allowHttp: false, hosts: [], resolve: resolving('169.254.1.1') })
    expect(await failureOf(any, 'https://other.example/')).toBe('address not allowed')
  })
})

test('SSRF-01: if only public addresses are allowed, names and addresses of others are refused', async () => {
  const options = { allowHttp: true, publicOnly: true }
  const hosts = ['127.0.0.1', '[::1]', '10.1.2.3', '172.31.0.1', '192.168.0.1', '100.64.0.1', '[fd00::1]']
  const forms = ['[::ffff:10.1.2.3]', '[64:ff9b::192.168.0.1]', '[2002:c0a8:1::]', '[::127.0.0.1]', '127.1']
  for (const host of [...hosts, ...forms]) {
    expect(await failureOf(new Outgoing(options), `http://${host}/`)).toBe('address not allowed')
    const resolve = resolving('192.0.2.1', host.replace(/[[\]]/g, '').replace(/^127\.1$/, '127.0.0.1'))
    const named = new Outgoing({ ...options, hosts: ['web.example'], resolve })
    expect(await failureOf(named, 'http://web.example/')).toBe('address not allowed')
  }
})

describe('SSRF-01: names', () => {
  test.each([['169.254.169.254'], ['::ffff:169.254.169.254'], ['127.0.0.1'], ['fd00:ec2::254']])(
    'one that resolves to %s is refused before a connection',
    async (address) => {
      const outgoing = new Outgoing({ allowHttp: false, resolve: resolving('192.0.2.1', address) })
      expect(await failureOf(outgoing, 'https://provider.example/')).toBe('address not allowed')
    },
  )

  test('the connection goes to the address that was checked', async () => {
    const { port, seen } = await serve((_request, response) => response.end('ok'))
    let lookups = 0
    const resolve = ((host: string, options: unknown, done: never) => {
      lookups += 1
      resolving(lookups === 1 ? '127.0.0.1' : '169.254.1.1')?.(host, options as never, done)
    }) as unknown as OutgoingOptions['resolve']
    const outgoing = new Outgoing({ allowHttp: true, resolve })
    expect(await failureOf(outgoing, `http://provider.example:${port}/keys`)).toBe('answered')
    expect({ lookups, seen }).toEqual({ lookups: 1, seen: ['/keys'] })
  })

  test('one that does not exist is reported as such', async () => {
    expect(await failureOf(development, 'http://provider.invalid/')).toBe('cannot resolve')
  })
})

describe('SSRF-01: answers', () => {
  test('a redirect is not followed', async () => {
    const target = await serve((_request, response) => response.end('secret'))
    const { url } = await serve((_request, response) => {
      response.writeHead(302, { Location: target.url }).end()
    })
    expect(await failureOf(development, url)).toBe('status not 200')
    expect(target.seen).toEqual([])
  })

  test('one that is too long is cut off', async () => {
    const { url } = await serve((_request, response) => {
      const more = () => response.write('x'.repeat(10_000), () => response.destroyed || setImmediate(more))
      more()
    })
    expect(await failureOf(development, url)).toBe('answer too long')
  })

  test('one that arrives byte by byte is cut off when the time of the request is up', async () => {
    const { url } = await serve((_request, response) => {
      const timer = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(timer))
    })
    const outgoing = new Outgoing({ allowHttp: true, msMax: 200 })
    expect(await failureOf(outgoing, url)).toBe('connection refused or timed out')
  })

  test('a server that does not listen, and one that does not speak TLS, are reported as such', async () => {
    const { url, port } = await serve((_request, response) => response.end('ok'))
    expect(await failureOf(development, url)).toBe('answered')
    expect(await failureOf(development, `https://127.0.0.1:${port}/`)).toBe('TLS')
    expect(await failureOf(development, 'http://127.0.0.1:1/')).toBe('connection refused or timed out')
  })
})

describe('SSRF-01: hostile servers', () => {
  test.each(Object.entries(HOSTILE_ANSWERS))('a request ends if the server %s', async (_name, answer) => {
    const server = await startHostileServer(answer)
    onTestFinished(() => server.close())
    const outgoing = new Outgoing({ allowHttp: true, msMax: 300 })
    const url = `http://127.0.0.1:${server.port}/`
    for (const method of ['GET', 'POST', 'CONNECT']) {
      await expect(outgoing.send({ url, method, bytesMax: 1_000 })).rejects.toThrow(OutgoingError)
    }
    // Nothing holds the connection: the client has closed it.
    for (const socket of server.open) socket.end()
    await expect.poll(() => server.open.size).toBe(0)
  })

  test('a request ends while its name is resolved', async () => {
    const outgoing = new Outgoing({ allowHttp: true, msMax: 50, resolve: (() => {}) as never })
    await expect(outgoing.send({ url: 'http://provider.example/', bytesMax: 1 })).rejects.toThrow(
      OutgoingError,
    )
  })
})
