import 'reflect-metadata'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { listenOnFreePort } from '@latchkey/testkit/process/ports'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { describe, expect, test } from 'vitest'
import { fileWriter } from '../../test/files.ts'
import { run } from '../../test/io.ts'
import { readConnection } from './connection.ts'

const directory = temporaryFolder('migrator-connection')

const file = fileWriter(directory)

const SECRET = 'canary-0c4d'

describe('where a command finds its server', () => {
  test.each([
    [{ CONSUL_HTTP_ADDR: '10.0.0.1:8500' }, 'http://10.0.0.1:8500/'],
    [{ CONSUL_HTTP_ADDR: '10.0.0.1:8501', CONSUL_HTTP_SSL: 'true' }, 'https://10.0.0.1:8501/'],
    [{ CONSUL_HTTP_ADDR: 'http://10.0.0.1:8500', CONSUL_HTTP_SSL: '1' }, 'http://10.0.0.1:8500/'],
    [{ CONSUL_HTTP_ADDR: `https://u:${SECRET}@h:1/proxy/v1/?x=1` }, 'https://h:1/proxy'],
  ])('%o is %s', async (env, href) => {
    expect((await readConnection({}, env)).address.href).toBe(href)
  })

  test('a socket file, as the legacy command line names it', async () => {
    const connection = await readConnection({}, { CONSUL_HTTP_ADDR: 'unix:///run/service.sock' })
    expect(connection.socketPath).toBe('/run/service.sock')
  })

  test('every variable, and options that are stronger', async () => {
    const env = {
      CONSUL_HTTP_ADDR: 'https://a:1',
      CONSUL_HTTP_TOKEN: 'from the variable',
      CONSUL_HTTP_SSL_VERIFY: 'false',
      CONSUL_CACERT: file('ca.pem', 'ca'),
      CONSUL_CLIENT_CERT: file('cert.pem', 'cert'),
      CONSUL_CLIENT_KEY: file('key.pem', 'key'),
      CONSUL_TLS_SERVER_NAME: 'server.dc1',
      CONSUL_NAMESPACE: 'team',
    }
    expect(await readConnection({}, env)).toMatchObject({
      token: 'from the variable',
      namespace: 'team',
      tls: { ca: 'ca', cert: 'cert', key: 'key', servername: 'server.dc1', rejectUnauthorized: false },
    })
    const CONSUL_HTTP_TOKEN_FILE = file('token', 'from the file\n')
    expect((await readConnection({}, { ...env, CONSUL_HTTP_TOKEN_FILE })).token).toBe('from the file')
    const LATCHKEY_TOKEN = 'ours'
    expect((await readConnection({}, { ...env, CONSUL_HTTP_TOKEN_FILE, LATCHKEY_TOKEN })).token).toBe('ours')
    const options = {
      from: 'http://b:2',
      tokenFile: file('option', 'of the option'),
      caFile: file('other.pem', 'other'),
      tlsServerName: 'other.dc1',
      namespace: 'other',
    }
    expect(await readConnection(options, { ...env, LATCHKEY_TOKEN })).toMatchObject({
      address: new URL('http://b:2'),
      token: 'of the option',
      namespace: 'other',
      tls: { ca: 'other', servername: 'other.dc1' },
    })
  })

  test.each([
    [['scan'], {}, '--from, or the variable CONSUL_HTTP_ADDR, needs the address'],
    [['scan', '--from', 'ftp://x'], {}, '--from needs the address'],
    [['scan'], { CONSUL_HTTP_ADDR: `::${SECRET}` }, 'CONSUL_HTTP_ADDR needs the address'],
    [
      ['scan', '--from', 'http://x'],
      { CONSUL_HTTP_SSL_VERIFY: SECRET },
      'CONSUL_HTTP_SSL_VERIFY must be true or false',
    ],
    [
      ['scan', '--from', 'http://x', '--client-cert', 'x.pem'],
      {},
      '--client-cert and --client-key belong together',
    ],
    [['scan', '--from', 'http://x', '--timeout', '0'], {}, 'Write a number above 0'],
  ])('%j with %j ends with 2 and shows no value', async (argv, env, message) => {
    const { code, stderr } = await run(argv, { env })
    expect([code, stderr.includes(SECRET)]).toEqual([2, false])
    expect(stderr).toContain(message)
  })

  test('a file that cannot be read ends with 1 and names it', async () => {
    const { code, stderr } = await run(['scan', '--from', 'http://x', '--ca-file', 'no-such.pem'])
    expect(code).toBe(1)
    expect(stderr).toContain('no-such.pem: cannot read the CA certificate: ENOENT')
  })
})

describe('over TLS and sockets', () => {
  /** Files of a self-signed certificate for localhost, which is its own authority. */
  async function certificate(): Promise<{ readonly cert: string; readonly key: string }> {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const made = await X509CertificateGenerator.create({
      subject: 'CN=localhost',
      issuer: 'CN=localhost',
      publicKey: publicKey.export({ type: 'spki', format: 'der' }),
      signingKey: privateKey.toCryptoKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']),
      signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
      extensions: [
        new BasicConstraintsExtension(true),
        new SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }]),
      ],
    })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    return { cert: file('tls.pem', made.toString('pem')), key: file('tls.key', pem) }
  }

  test('an authority is trusted by file, a client certificate is shown, and a wrong name is refused', async () => {
    const { cert, key } = await certificate()
    const shown: string[] = []
    const options = {
      cert: readFileSync(cert),
      key: readFileSync(key),
      ca: readFileSync(cert),
      requestCert: true,
    }
    const server = createTlsServer({ ...options, rejectUnauthorized: false }, (request, response) => {
      const peer = (request.socket as TLSSocket).getPeerCertificate()
      shown.push(String(peer.subject?.CN))
      if (request.url === '/v1/acl/list') response.end('[]')
      else response.writeHead(404).end()
    })
    const port = await listenOnFreePort(server)
    const from = ['scan', '--from', `https://localhost:${port}`]
    try {
      const untrusted = await run(from)
      expect(untrusted.code).toBe(1)
      expect(untrusted.stderr).toContain('DEPTH_ZERO_SELF_SIGNED_CERT (trust its authority with --ca-file')
      expect(shown).toEqual([])
      const trusted = [...from, '--ca-file', cert, '--client-cert', cert, '--client-key', key]
      expect((await run(trusted)).code).toBe(0)
      expect(new Set(shown)).toEqual(new Set(['localhost']))
      const renamed = await run([...trusted, '--tls-server-name', 'other.example'])
      expect([renamed.code, renamed.stderr.includes('ERR_TLS_CERT_ALTNAME_INVALID')]).toEqual([1, true])
      expect((await run([...from, '--no-tls-verify'])).code).toBe(0)
      expect((await run(from, { env: { CONSUL_HTTP_SSL_VERIFY: 'false' } })).code).toBe(0)
    } finally {
      server.close()
    }
  })

  test('a socket file', async () => {
    const path = join(directory, 'service.sock')
    const server = createServer((request, response) => {
      if (request.url === '/v1/status/leader') response.end('"10.0.0.1:8300"')
      else if (request.url === '/v1/acl/list') response.end('[]')
      else response.writeHead(404).end()
    })
    server.listen(path)
    await once(server, 'listening')
    const { code, stdout } = await run(['scan'], { env: { CONSUL_HTTP_ADDR: `unix://${path}` } })
    server.close()
    expect(code).toBe(0)
    expect(stdout).toContain(`unix://${path}: version unknown`)
  })
})
