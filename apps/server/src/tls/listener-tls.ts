/** The certificate and key that the listener presents, from the files that the settings name. */

import { createHash, createPrivateKey, randomBytes, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import type { Config } from '../config/config.ts'
import { StartError } from '../start-error.ts'

export type ListenerTlsPaths = Pick<Config, 'tlsCert' | 'tlsKey' | 'tlsClientCa'>

export interface ListenerTls {
  readonly context: SecureContextOptions & { readonly ticketKeys: Buffer }
  /** Whether clients must present a certificate from the authorities in the context. */
  readonly requestCert: boolean
  /** When the first certificate of the chain expires: milliseconds since the epoch. */
  readonly expiresAt: number
  readonly digest: string
}

/** Forward secrecy and authenticated encryption only: for TLS 1.3 everything that Node offers, for TLS 1.2 these. */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
].join(':')

const TICKET_KEYS_BYTES = 48
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

/** @returns undefined without a certificate. @throws StartError naming the setting of an unusable file. */
export async function readListenerTls(paths: ListenerTlsPaths): Promise<ListenerTls | undefined> {
  const { tlsCert, tlsKey, tlsClientCa } = paths
  if (tlsCert === undefined || tlsKey === undefined) return undefined
  const [cert, key, ca] = await Promise.all([
    readPem('LATCHKEY_TLS_CERT', tlsCert),
    readPem('LATCHKEY_TLS_KEY', tlsKey),
    tlsClientCa === undefined ? undefined : readPem('LATCHKEY_TLS_CLIENT_CA', tlsClientCa),
  ])
  const chain = certificatesIn('LATCHKEY_TLS_CERT', tlsCert, cert)
  if (!isKeyOf(chain[0], key)) {
    throw unusable(
      'LATCHKEY_TLS_KEY',
      tlsKey,
      `it is not the key of the certificate in ${tlsCert}, in PEM and without a password`,
    )
  }
  if (tlsClientCa !== undefined && ca !== undefined) certificatesIn('LATCHKEY_TLS_CLIENT_CA', tlsClientCa, ca)
  const context = {
    cert,
    key,
    ...(ca === undefined ? {} : { ca }),
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
    honorCipherOrder: true,
    // Shared by the listeners of a process. New files get new keys: an old ticket could admit a client that the new
    // files refuse.
    ticketKeys: randomBytes(TICKET_KEYS_BYTES),
  } as const
  try {
    createSecureContext(context)
  } catch (cause) {
    throw unusable('LATCHKEY_TLS_CERT', tlsCert, messageOf(cause), cause)
  }
  return {
    context,
    requestCert: ca !== undefined,
    expiresAt: Math.min(...chain.map(({ validToDate }) => validToDate.getTime())),
    digest: createHash('sha256').update([cert, key, ca].join('\0')).digest('base64url'),
  }
}

export async function readPem(setting: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw unusable(setting, path, messageOf(cause), cause)
  }
}

/** @returns at least one. @throws StartError that names the setting. */
export function certificatesIn(setting: string, path: string, pem: string): readonly X509Certificate[] {
  try {
    const certificates = (pem.match(CERTIFICATE) ?? []).map((block) => new X509Certificate(block))
    if (certificates.length > 0) return certificates
  } catch (cause) {
    throw unusable(setting, path, 'a certificate in it cannot be read', cause)
  }
  throw unusable(setting, path, 'it holds no certificate in PEM')
}

function isKeyOf(certificate: X509Certificate | undefined, pem: string): boolean {
  try {
    return certificate?.checkPrivateKey(createPrivateKey(pem)) === true
  } catch {
    return false
  }
}

function unusable(setting: string, path: string, problem: string, cause?: unknown): StartError {
  return new StartError(`${setting}: ${path} cannot be used: ${problem}`, { cause })
}

/** The message of a thrown value, which may be anything. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
