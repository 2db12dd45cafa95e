import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { Authority } from '../../test/login/certificates.ts'
import { StartError } from '../start-error.ts'
import { type ListenerTlsPaths, readListenerTls } from './listener-tls.ts'

const authority = new Authority()
let cert: string
let key: string

beforeAll(async () => {
  ;({ cert, key } = await authority.serverOptions('127.0.0.1'))
})

async function files(
  texts: Readonly<Partial<Record<keyof ListenerTlsPaths, string>>>,
): Promise<ListenerTlsPaths> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-tls-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const paths = { tlsCert: undefined, tlsKey: undefined, tlsClientCa: undefined }
  const written = Object.entries(texts).map(async ([name, text]) => {
    const path = join(folder, `${name}.pem`)
    await writeFile(path, text)
    return [name, path]
  })
  return { ...paths, ...Object.fromEntries(await Promise.all(written)) }
}

test('without a certificate the listener has no TLS', async () => {
  expect(await readListenerTls(await files({}))).toBeUndefined()
})

test('the certificate of the chain that expires first determines when the listener needs a new one', async () => {
  const later = await authority.serverOptions('127.0.0.1', new Date('2032-05-06T07:08:09Z'))
  const soon = new Date('2031-05-06T07:08:09Z')
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = await authority.issue(publicKey, { isAuthority: true, notAfter: soon })
  const tls = await readListenerTls(await files({ tlsCert: `${later.cert}\n${issuer}`, tlsKey: later.key }))
  expect(tls?.expiresAt).toBe(soon.getTime())
})

test.for([
  ['LATCHKEY_TLS_CERT', 'is empty', () => ({ tlsCert: '', tlsKey: key })],
  [
    'LATCHKEY_TLS_CERT',
    'is damaged',
    () => ({ tlsCert: cert.replace(/(?<=CERTIFICATE-----\n).{20}/, 'canary+canary+canary'), tlsKey: key }),
  ],
  ['LATCHKEY_TLS_CERT', 'holds the key', () => ({ tlsCert: key, tlsKey: key })],
  ['LATCHKEY_TLS_KEY', 'is no key', () => ({ tlsCert: cert, tlsKey: 'canary' })],
  [
    'LATCHKEY_TLS_KEY',
    'is that of another certificate',
    async () => ({ tlsCert: cert, tlsKey: (await authority.serverOptions('127.0.0.1')).key }),
  ],
  [
    'LATCHKEY_TLS_CLIENT_CA',
    'holds no certificate',
    () => ({ tlsCert: cert, tlsKey: key, tlsClientCa: 'canary' }),
  ],
] as const)('CFG-01: %s that %s is refused by its name, without its content', async ([setting, , texts]) => {
  const refused = readListenerTls(await files(await texts()))
  await expect(refused).rejects.toThrow(StartError)
  await expect(refused).rejects.toThrow(new RegExp(`^${setting}: /.+ cannot be used: `))
  await expect(refused).rejects.not.toThrow('canary')
})

test('CFG-01: a file that does not exist is refused by the name of its setting', async () => {
  const paths = { ...(await files({ tlsCert: cert })), tlsKey: '/nowhere/key.pem' }
  await expect(readListenerTls(paths)).rejects.toThrow(
    /^LATCHKEY_TLS_KEY: \/nowhere\/key.pem cannot be used: ENOENT/,
  )
})
