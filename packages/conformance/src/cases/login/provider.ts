/** The suite's own identity provider: a key pair, and tokens that are really signed with it. */
import type { AuthMethod, BindingRule, Token } from '@latchkey/contract'
import type { AskOptions, Context } from '../../context.ts'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const
const ISSUER = 'https://idp.example'
const AUDIENCE = 'latchkey'

interface Provider {
  /** In PEM. */
  readonly publicKey: string
  /** A token with these claims, besides its issuer, audience and times. */
  issue(claims: Readonly<Record<string, unknown>>): Promise<string>
}

/** Creates a provider with its own key pair. */
export async function aProvider(ctx: Context): Promise<Provider> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const spki = new Uint8Array(await crypto.subtle.exportKey('spki', keys.publicKey))
  const base64 = btoa(String.fromCharCode(...spki))
  return {
    publicKey: `-----BEGIN PUBLIC KEY-----\n${base64.match(/.{1,64}/g)?.join('\n')}\n-----END PUBLIC KEY-----\n`,
    async issue(claims) {
      const now = Math.floor(ctx.now() / 1_000)
      const all = { iss: ISSUER, aud: AUDIENCE, iat: now, exp: now + 3_600, ...claims }
      const signed = `${base64Url(toBytes({ alg: 'ES256', typ: 'JWT' }))}.${base64Url(toBytes(all))}`
      const hash = { name: 'ECDSA', hash: 'SHA-256' }
      const signature = await crypto.subtle.sign(hash, keys.privateKey, new TextEncoder().encode(signed))
      return `${signed}.${base64Url(new Uint8Array(signature))}`
    },
  }
}

const toBytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

const base64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** Maps the claims that the cases use. */
const MAPPINGS = {
  ClaimMappings: { team: 'team', ref: 'ref' },
  ListClaimMappings: { groups: 'groups' },
} as const

/** The configuration of a method that trusts a provider. */
export function configOf({ publicKey }: Provider) {
  return { BoundAudiences: [AUDIENCE], BoundIssuer: ISSUER, ...MAPPINGS, JWTValidationPubKeys: [publicKey] }
}

/** The configuration of a method for browser logins. */
export const OIDC_CONFIG = {
  AllowedRedirectURIs: ['http://localhost:8550/oidc/callback'],
  OIDCClientID: 'client',
  OIDCClientSecret: 'a client secret',
  OIDCDiscoveryURL: 'https://idp.example',
} as const

/** Creates a method of type jwt; it is removed when the case ends. */
export async function aMethod(
  ctx: Context,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly method: AuthMethod; readonly provider: Provider }> {
  const provider = await aProvider(ctx)
  const body = { Name: ctx.unique('Method'), Type: 'jwt', Config: configOf(provider), ...fields }
  return { method: await ctx.ok<AuthMethod>('PUT', '/acl/auth-method', { body }), provider }
}

export function aRule(
  ctx: Context,
  { Name }: Pick<AuthMethod, 'Name'>,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<BindingRule> {
  const body = { AuthMethod: Name, BindType: 'service', BindName: 'web', ...fields }
  return ctx.ok<BindingRule>('PUT', '/acl/binding-rule', { body })
}

/** Logs in without presenting a token. */
export async function login(
  ctx: Context,
  { method, provider }: { readonly method: Pick<AuthMethod, 'Name'>; readonly provider: Provider },
  {
    claims = {},
    ...more
  }: { readonly claims?: Readonly<Record<string, unknown>> } & Record<string, unknown> = {},
): Promise<Token> {
  const body = { AuthMethod: method.Name, BearerToken: await provider.issue(claims), ...more }
  return ctx.ok<Token>('POST', '/acl/login', { body, token: null })
}

/** For a login that should be refused. */
export async function loginBody(
  { method, provider }: { readonly method: Pick<AuthMethod, 'Name'>; readonly provider: Provider },
  claims: Readonly<Record<string, unknown>> = {},
): Promise<AskOptions> {
  return { body: { AuthMethod: method.Name, BearerToken: await provider.issue(claims) }, token: null }
}

/** A certificate that no server has. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBkTCCATegAwIBAgIUW2V3UdbDTCH01aOc3sDY1f+MmUQwCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwSa3ViZXJuZXRlcy5leGFtcGxlMCAXDTI2MTEyMjE1MTczNloY
DzIxMjYxMDI5MTUxNzM2WjAdMRswGQYDVQQDDBJrdWJlcm5ldGVzLmV4YW1wbGUw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATm5yeq2Bv5GICzLFMTxBMVPe6iCMW1
ThQEdWeU6KWrK94ZpP/kNCiBMprrt/I+LXPndGoFdmamfIZQOwnsNWoHo1MwUTAd
BgNVHQ4EFgQU6slnF6fQpzw8r46SQuMNM69NdVEwHwYDVR0jBBgwFoAU6slnF6fQ
pzw8r46SQuMNM69NdVEwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBF
AiEAzyy2kNCbcCE58eHVVrGgT52PC9KVy9p8bLC0SE2jeGUCIC2m9bB+C8ccnj+m
8QSwOqC+6XwKv6kE/O1pnCsoY0I1
-----END CERTIFICATE-----`
