/** What attacks on logins need: identity providers, auth methods that name them, and binding rules. */
import { generateKeyPairSync } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { Authority } from '../login/certificates.ts'
import { claimsWith, compact, jwkOf, pemOf, signer } from '../login/tokens.ts'
import type { ProviderOrder, ProviderPorts } from './providers.ts'

export const REDIRECT_URI = 'https://ui.example/callback'
/** Number of methods whose provider delays its keys. */
export const LATE_METHODS = 100
export const RULE = { AuthMethod: 'static', BindType: 'service', BindName: 'web-${value.team}' }

/** Number of rules of the method `slow`, whose selectors are slow to match for their size. */
const SLOW_RULES = 20
const SLOW_SELECTOR = Array.from(
  { length: 20 },
  (_, i) => `value.team matches "(a|aB|B)*(aB|a|B){30,60}(.*a){20}z${i}" or "no-${i}" in list.groups`,
).join(' or ')

export interface LoginScene {
  /** URL of the provider without TLS. */
  readonly provider: string
  /** A credential that the methods with a static key accept. */
  readonly credential: string
  /**
   * Creates the methods and rules that the attacks use.
   *
   * @returns the ID of a binding rule.
   */
  create(
    write: (method: string, path: string, body: object) => Promise<{ readonly ID?: unknown }>,
  ): Promise<string>
  end(): Promise<unknown>
}

/** Runs the providers in a separate thread, so that they do not delay the probe. */
export async function startLoginScene(): Promise<LoginScene> {
  const authority = new Authority()
  const CACert = await authority.certificate()
  const keys = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const jwk = jwkOf(keys, { kid: 'k1', use: 'sig', alg: 'RS256' })
  const order: ProviderOrder = { tls: await authority.serverOptions('127.0.0.1'), jwk }
  const thread = new Worker(new URL('./providers.ts', import.meta.url), { workerData: order })
  const ports = await new Promise<ProviderPorts>((resolve, reject) => {
    thread.once('message', resolve).once('error', reject)
  })
  const provider = `http://127.0.0.1:${ports.http}`
  const mappings = { ClaimMappings: { team: 'team' }, ListClaimMappings: { groups: 'groups' } }
  const jwt = (Name: string, config: object) => ({
    Name,
    Type: 'jwt',
    MaxTokenTTL: '1m',
    Config: { ...mappings, ...config },
  })
  const cluster = (Name: string, path: string) => ({
    Name,
    Type: 'kubernetes',
    Config: { Host: `https://127.0.0.1:${ports.tls}${path}`, CACert, ServiceAccountJWT: 'a.b.c' },
  })
  const people = (Name: string, issuer: string) => ({
    Name,
    Type: 'oidc',
    MaxTokenTTL: '1m',
    Config: {
      OIDCDiscoveryURL: issuer,
      OIDCClientID: 'latchkey',
      OIDCClientSecret: 'secret',
      AllowedRedirectURIs: [REDIRECT_URI],
    },
  })
  const fixed = { JWTValidationPubKeys: [pemOf(keys)] }
  const methods = [
    jwt('honest', fixed),
    jwt('static', fixed),
    jwt('slow', fixed),
    jwt('keys', { JWKSURL: `${provider}/keys` }),
    jwt('hanging', { JWKSURL: `${provider}/hanging` }),
    ...Array.from({ length: LATE_METHODS }, (_, i) => jwt(`late-${i}`, { JWKSURL: `${provider}/late/${i}` })),
    cluster('cluster', '/hanging'),
    cluster('endless', '/endless'),
    people('people', `${provider}/people`),
    people('people-hanging', `${provider}/hanging`),
  ]
  const nowS = Math.floor(Date.now() / 1_000)
  const times = { iat: nowS, exp: nowS + 86_400 }
  const claims = claimsWith({ ...times, aud: undefined, team: 'aB'.repeat(100), groups: ['g'] })
  return {
    provider,
    credential: compact({ alg: 'RS256', kid: 'k1' }, claims, signer('RS256', keys)),
    create: async (write) => {
      for (const method of methods) await write('PUT', '/acl/auth-method?check=false', method)
      await write('PUT', '/acl/binding-rule', { ...RULE, AuthMethod: 'honest' })
      const rule = await write('PUT', '/acl/binding-rule', RULE)
      for (let i = 0; i < SLOW_RULES; i += 1) {
        const slow = { BindType: 'service', BindName: `slow-${i}`, Selector: SLOW_SELECTOR }
        await write('PUT', '/acl/binding-rule', { AuthMethod: 'slow', ...slow })
      }
      await write('PUT', '/acl/binding-rule', { AuthMethod: 'slow', BindType: 'service', BindName: 'web' })
      return String(rule.ID)
    },
    end: () => thread.terminate(),
  }
}
