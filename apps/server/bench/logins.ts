/** An auth method with a static key, and a credential for it. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { call } from './client.ts'
import type { LoadRequest } from './load.ts'
import type { Measured } from './processes.ts'

const METHOD = 'bench'
const SIGNATURE = { dsaEncoding: 'ieee-p1363' } as const

/** @returns a login whose key is cached: ES256, one binding rule that fills in a claim. */
export async function loginRequest(server: Measured): Promise<LoadRequest> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const Config = {
    JWTValidationPubKeys: [publicKey.export({ type: 'spki', format: 'pem' })],
    BoundIssuer: 'bench',
    ClaimMappings: { team: 'team' },
  }
  await call(server, 'PUT', '/acl/auth-method', { body: { Name: METHOD, Type: 'jwt', Config } })
  const rule = { AuthMethod: METHOD, BindType: 'service', BindName: 'app-${value.team}' }
  await call(server, 'PUT', '/acl/binding-rule', { body: rule })
  const now = Math.floor(Date.now() / 1_000)
  const parts = [{ alg: 'ES256' }, { iss: 'bench', team: 'shop', iat: now, exp: now + 86_400 }]
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, ...SIGNATURE })
  const BearerToken = `${signed}.${signature.toString('base64url')}`
  return { method: 'POST', path: '/v1/acl/login', body: JSON.stringify({ AuthMethod: METHOD, BearerToken }) }
}
