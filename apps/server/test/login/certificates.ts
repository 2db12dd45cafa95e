/** Certificates of a CA that lives as long as a test. */
import 'reflect-metadata'
import type { KeyObject } from 'node:crypto'
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { ecKeys, type KeyPair } from './tokens.ts'

const EC = { name: 'ECDSA', namedCurve: 'P-256' }

export class Authority {
  private readonly keys: KeyPair = ecKeys()
  private readonly name = 'CN=Throw-away authority'

  /** The CA's certificate, as PEM. */
  certificate(): Promise<string> {
    return this.issue(this.keys.publicKey, { subject: this.name, isAuthority: true })
  }

  /** A certificate for an address, and its key, in the form that a TLS server takes. */
  async serverOptions(
    address: string,
    notAfter?: Date,
  ): Promise<{ readonly cert: string; readonly key: string }> {
    const keys = ecKeys()
    const lifetime = notAfter === undefined ? {} : { notAfter }
    const cert = await this.issue(keys.publicKey, { subject: 'CN=Server', address, ...lifetime })
    return { cert, key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
  }

  /** Issues a certificate for a key, as PEM. */
  async issue(
    key: KeyObject,
    options: {
      readonly subject?: string
      readonly address?: string
      readonly isAuthority?: boolean
      readonly hash?: 'SHA-1' | 'SHA-256'
      readonly notAfter?: Date
    } = {},
  ): Promise<string> {
    const { subject = 'CN=Key', address, isAuthority = false, hash = 'SHA-256', notAfter } = options
    const name = address === undefined ? [] : [{ type: 'ip' as const, value: address }]
    const certificate = await X509CertificateGenerator.create({
      subject,
      issuer: this.name,
      publicKey: key.export({ type: 'spki', format: 'der' }),
      signingKey: this.keys.privateKey.toCryptoKey(EC, false, ['sign']),
      signingAlgorithm: { name: 'ECDSA', hash },
      ...(notAfter === undefined ? {} : { notBefore: new Date(notAfter.getTime() - 86_400_000), notAfter }),
      extensions: [
        new BasicConstraintsExtension(isAuthority),
        ...(name.length === 0 ? [] : [new SubjectAlternativeNameExtension(name)]),
      ],
    })
    return certificate.toString('pem')
  }
}
