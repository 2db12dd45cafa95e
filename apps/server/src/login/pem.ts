/** Reads the PEM keys and certificates in the configuration of a method. Decisions: auth methods. */
import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import { algorithmsOf } from './algorithms.ts'
import type { VerificationKey } from './key-source.ts'

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/
const CERTIFICATES = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g

/**
 * Reads a static key: the first block of a text, a SubjectPublicKeyInfo or a certificate.
 *
 * @returns `undefined` if the block is neither, or if its key is not accepted.
 */
export function readStaticKey(pem: string): VerificationKey | undefined {
  const [block = '', label] = BLOCK.exec(pem) ?? []
  try {
    const key = readPublicKey(label, block)
    const algorithms = key === undefined ? [] : algorithmsOf(key)
    return key === undefined || algorithms.length === 0 ? undefined : { key, kid: undefined, algorithms }
  } catch {
    return undefined
  }
}

/** Decides by the label, because `createPublicKey` would also accept PKCS#1, and the public half of a private key. */
function readPublicKey(label: string | undefined, block: string): KeyObject | undefined {
  if (label === 'PUBLIC KEY') return createPublicKey(block)
  if (label !== 'CERTIFICATE') return undefined
  const { publicKey, signatureAlgorithm } = new X509Certificate(block)
  return /sha1/i.test(signatureAlgorithm ?? '') ? undefined : publicKey
}

/** Whether a text contains at least one certificate, and none that is damaged. */
export function areCertificates(pem: string): boolean {
  const certificates = pem.match(CERTIFICATES) ?? []
  try {
    for (const certificate of certificates) new X509Certificate(certificate)
  } catch {
    return false
  }
  return certificates.length > 0
}
