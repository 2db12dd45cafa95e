// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${` is part of the language under test.
import { aBindingRule, aMethod } from '@latchkey/testkit/records/record-builders'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { describe, expect, test } from 'vitest'
import type { AuthMethodRecord } from '../../records/login-records.ts'
import { type ConfigRequest, shownConfig } from './auth-method-config.ts'
import {
  type AuthMethodContext,
  type AuthMethodRequest,
  checkRulesFit,
  writeAuthMethod,
} from './auth-method-rules.ts'
import { leewaysOf } from './leeway.ts'

const context: AuthMethodContext = {
  types: ['jwt', 'kubernetes', 'oidc'],
  isPrimary: true,
  hasNamespaces: true,
  namespace: 'default',
  generation: 5,
  now: Date.UTC(2026, 0, 31, 12),
  allowHttp: false,
}
const JWKS = 'https://issuer.example/keys'
const JWT: ConfigRequest = { JWKSURL: JWKS, ClaimMappings: { team: 'team' } }
const OIDC: ConfigRequest = {
  OIDCDiscoveryURL: 'https://issuer.example',
  OIDCClientID: 'latchkey',
  OIDCClientSecret: 's3cret',
  AllowedRedirectURIs: ['http://localhost:8550/oidc/callback', 'https://host.example/ui/oidc/callback'],
}
const KUBERNETES: ConfigRequest = { Host: 'api.example:6443', CACert: 'pem', ServiceAccountJWT: 'a.b.c' }

function write(
  request: AuthMethodRequest,
  { existing, ...others }: Partial<AuthMethodContext> & { existing?: AuthMethodRecord } = {},
) {
  return writeAuthMethod({ Name: 'sso', Type: 'jwt', Config: JWT, ...request }, existing, {
    ...context,
    ...others,
  })
}

test('a new method has what was written; fields of Config that are empty count as absent', () => {
  const Config = { JWKSURL: JWKS, BoundIssuer: 'i', BoundAudiences: ['a'], JWKSCACert: '', ClaimMappings: {} }
  const method = write({
    DisplayName: 'SSO',
    Description: 'd',
    MaxTokenTTL: 3_600_000,
    TokenLocality: 'global',
    Config,
  })
  expect(method).toEqual({
    Name: 'sso',
    Type: 'jwt',
    DisplayName: 'SSO',
    Description: 'd',
    MaxTokenTTL: '1h0m0s',
    TokenLocality: 'global',
    Config: { BoundAudiences: ['a'], BoundIssuer: 'i', JWKSURL: JWKS },
    EmptyConfig: { JWKSCACert: '', ClaimMappings: {} },
    NamespaceRules: [],
    Generation: 5,
    CreateIndex: 0,
    ModifyIndex: 0,
    Namespace: 'default',
  })
})

test('an update replaces all but the spelling of the name, the type and the generation', () => {
  const existing = aMethod({
    Name: 'Sso',
    Description: 'old',
    MaxTokenTTL: '1m0s',
    Generation: 3,
    CreateIndex: 7,
  })
  const updated = writeAuthMethod({ Name: 'sso', Config: JWT }, existing, context)
  expect(updated).toMatchObject({
    Name: 'Sso',
    Type: 'jwt',
    Description: '',
    MaxTokenTTL: undefined,
    Config: JWT,
    Generation: 3,
    CreateIndex: 7,
  })
})

test('an idle limit counts from the write that sets or changes it', () => {
  const IdleSince = '2026-01-30T00:00:00Z'
  const existing = aMethod({ IdleTTL: '10m0s', IdleSince })
  const since = (IdleTTL: number) => write({ IdleTTL, MaxLiveTokens: 1 }, { existing }).IdleSince
  expect([since(600_000), since(0), since(60_000)]).toEqual([IdleSince, undefined, '2026-01-31T12:00:00Z'])
  expect(write({ IdleTTL: 60_000 })).toMatchObject({ IdleTTL: '1m0s', IdleSince: '2026-01-31T12:00:00Z' })
  expect(write({ MaxLiveTokens: 10_000 })).toMatchObject({ MaxLiveTokens: 10_000, IdleTTL: undefined })
})

test.each([
  ['', 'global', 5],
  ['global', '', 5],
  ['global', 'global', 3],
] as const)('TokenLocality from %j to %j: generation %i', (from, to, generation) => {
  const existing = aMethod({ TokenLocality: from, Generation: 3 })
  expect(write({ TokenLocality: to }, { existing }).Generation).toBe(generation)
})

/** Refused requests by the code of their refusal. */
const REFUSED: Readonly<
  Record<string, readonly (readonly [string, AuthMethodRequest, string, Partial<AuthMethodContext>?])[]>
> = {
  field_required: [
    ['oidc without an end', { Type: 'oidc', Config: OIDC }, 'MaxTokenTTL must be set'],
    ['a namespace rule without a name', { NamespaceRules: [{ BindNamespace: '' }] }, 'BindNamespace'],
  ],
  name_invalid: [['a dot in the name', { Name: 'a.b' }, 'invalid Name']],
  field_invalid: [
    ['a type in another case', { Type: 'JWT' }, 'one of: [jwt kubernetes oidc]'],
    ['oidc elsewhere', { Type: 'oidc' }, 'one of: [jwt kubernetes]', { types: ['jwt', 'kubernetes'] }],
    ['-1 tokens', { MaxLiveTokens: -1 }, 'from 1 to 10000'],
    ['10,001 tokens', { MaxLiveTokens: 10_001 }, 'from 1 to 10000'],
    ['global in a secondary', { TokenLocality: 'global' }, 'primary datacenter', { isPrimary: false }],
    ['an unknown locality', { TokenLocality: 'Local' }, "one of 'local' or 'global'"],
    ['no Config', { Config: undefined }, 'exactly one of'],
    [
      'mapped namespaces elsewhere',
      { Type: 'kubernetes', Config: { ...KUBERNETES, MapNamespaces: true } },
      'a method in the namespace "default"',
      { namespace: 'team' },
    ],
    [
      'namespace rules elsewhere',
      { NamespaceRules: [{ BindNamespace: 'a' }] },
      'a method in the namespace "default"',
      { namespace: 'team' },
    ],
    [
      'namespace rules in the standard edition',
      { NamespaceRules: [{ BindNamespace: 'a' }] },
      'the extended edition',
      { hasNamespaces: false },
    ],
  ],
  expiration_out_of_bounds: [
    ['59 s', { MaxTokenTTL: 59_000 }, 'MaxTokenTTL 59s cannot be less than 1m0s'],
    ['25 h', { MaxTokenTTL: 90_000_000 }, 'MaxTokenTTL 25h0m0s cannot be more than 24h0m0s'],
    ['idle for 59 s', { IdleTTL: 59_000 }, 'IdleTTL 59s cannot be less'],
  ],
  selector_invalid: [
    [
      'a namespace rule with a selector that does not fit',
      { NamespaceRules: [{ BindNamespace: 'a' }, { Selector: 'value.x == y', BindNamespace: 'a' }] },
      'NamespaceRules[1].Selector is invalid',
    ],
    [
      'a namespace rule with a bad name',
      { NamespaceRules: [{ BindNamespace: '-${value.team}' }] },
      'NamespaceRules[0].BindNamespace',
    ],
  ],
}

describe.each(Object.entries(REFUSED))('%s', (code, rows) => {
  test.each(rows.map(([title, request, words, others = {}]) => ({ title, request, words, others })))(
    '$title',
    ({ request, words, others }) => {
      const refusal = refusalOf(() => write(request, others))
      expect(refusal.code).toBe(code)
      expect(refusal.message).toContain(words)
    },
  )
})

describe('Config', () => {
  const configOf = (Type: string, Config: ConfigRequest, others: Partial<AuthMethodContext> = {}) =>
    write({ Type, Config, MaxTokenTTL: 60_000 }, others).Config

  test.each([
    ['jwt', { JWTValidationPubKeys: ['pem'] }],
    ['jwt', { OIDCDiscoveryURL: 'https://issuer.example', BoundIssuer: 'https://issuer.example' }],
    ['jwt', { JWKSURL: JWKS, JWTSupportedAlgs: ['RS256', 'ES384', 'PS512', 'EdDSA'] }],
    ['jwt', { JWKSURL: JWKS, ClockSkewLeeway: '30s', ExpirationLeeway: -1, NotBeforeLeeway: 1e9 }],
    ['oidc', { ...OIDC, OIDCScopes: ['groups'], OIDCACRValues: ['mfa'], VerboseOIDCLogging: true }],
    ['kubernetes', { ...KUBERNETES, Host: 'https://[::1]:6443/', BoundAudiences: ['a'] }],
    ['kubernetes', { ...KUBERNETES, MapNamespaces: true, ConsulNamespaceOverrides: { a: 'b' } }],
  ])('%s with %j is accepted', (type, config) => {
    expect(configOf(type, config)).toEqual(config)
  })

  const twoSources = "exactly one of 'JWTValidationPubKeys', 'JWKSURL', or 'OIDCDiscoveryURL' must be set"
  const refused: Readonly<Record<string, readonly (readonly [ConfigRequest, string])[]>> = {
    'jwt field_invalid': [
      [{ ClaimMappings: { a: 'b' } }, twoSources],
      [{ JWKSURL: JWKS, OIDCDiscoveryURL: 'https://a.example' }, twoSources],
      [{ JWKSURL: JWKS, OIDCDiscoveryCACert: 'c' }, "unless 'OIDCDiscoveryURL' is set"],
      [{ JWKSURL: JWKS, ClaimMappings: { a: '' } }, 'without a name'],
      [{ JWKSURL: JWKS, ClockSkewLeeway: 999_999_999 }, 'nanoseconds'],
      [{ JWKSURL: 'http://issuer.example/keys' }, 'must begin with https://'],
      [{ JWKSURL: 'issuer.example' }, 'is not a URL'],
    ],
    'jwt field_too_long': [[{ JWTValidationPubKeys: Array(17).fill('p') }, 'at most 16']],
    'jwt field_type': [[{ JWKSURL: JWKS, ExpirationLeeway: '60' }, 'missing unit']],
    'oidc field_invalid': [
      [{ ...OIDC, JWKSURL: JWKS }, `'JWKSURL' must not be set for type "oidc"`],
      [{ ...OIDC, AllowedRedirectURIs: ['nowhere'] }, 'Invalid AllowedRedirectURIs provided: [nowhere]'],
      [{ ...OIDC, AllowedRedirectURIs: ['javascript:alert(1)'] }, 'Invalid AllowedRedirectURIs'],
      [{ ...OIDC, OIDCClientSecret: '<hidden>' }, 'redaction text'],
    ],
    'oidc field_required': [
      [{ ...OIDC, OIDCDiscoveryURL: '' }, `'OIDCDiscoveryURL' must be set for type "oidc"`],
      [{ ...OIDC, AllowedRedirectURIs: [] }, `'AllowedRedirectURIs' must be set for type "oidc"`],
    ],
    'kubernetes field_invalid': [[{ ...KUBERNETES, ServiceAccountJWT: '<hidden>' }, 'redaction text']],
  }

  describe.each(Object.entries(refused))('%s', (typeAndCode, rows) => {
    const [type = '', code] = typeAndCode.split(' ')
    test.each(rows)('%j is refused: %s', (config, words) => {
      const refusal = refusalOf(() => configOf(type, config))
      expect(refusal.code).toBe(code)
      expect(refusal.message).toContain(words)
      expect(refusal.field).toMatch(/^Config/)
    })
  })

  test('a field that the service version does not know yet is unknown', () => {
    const unknownFields = new Set(['OIDCACRValues'])
    expect(
      refusalOf(() => configOf('oidc', { ...OIDC, OIDCACRValues: ['x'] }, { unknownFields })),
    ).toMatchObject({ code: 'field_unknown', field: 'Config.OIDCACRValues' })
  })

  test('http URLs are refused unless they are allowed for development', () => {
    expect(configOf('jwt', { JWKSURL: 'http://localhost/keys' }, { allowHttp: true })).toBeDefined()
  })

  test('secrets are shown as hidden, and absent ones are not shown at all', () => {
    const shown = (Type: string, Config: ConfigRequest, seesSecrets = false) =>
      shownConfig(write({ Type, Config, MaxTokenTTL: 60_000 }), { seesSecrets, isRespelled: false })
    expect(shown('oidc', OIDC)).toEqual({ ...OIDC, OIDCClientSecret: '<hidden>' })
    expect(shown('kubernetes', KUBERNETES)).toEqual({ ...KUBERNETES, ServiceAccountJWT: '<hidden>' })
    expect(shown('kubernetes', KUBERNETES, true)).toEqual(KUBERNETES)
    expect(shown('jwt', JWT)).toEqual(JWT)
  })

  test('it is shown as it was written, empty fields too, with keys in order', () => {
    const Config = {
      JWKSURL: JWKS,
      ClockSkewLeeway: 0,
      BoundAudiences: [],
      BoundIssuer: '',
      ClaimMappings: { z: 'z', a: 'a' },
    }
    const shown = shownConfig(write({ Config: { ...Config, JWKSCACert: undefined } }), {
      seesSecrets: false,
      isRespelled: false,
    })
    expect(shown).toEqual(Config)
    expect(JSON.stringify(shown)).toMatch(
      /^\{"BoundA.*"BoundI.*"ClaimMappings":\{"a":"a","z":"z"\},"Cl.*"JWKSURL/,
    )
  })
})

test.each([
  [{}, 150_000, 150_000, 60_000],
  [{ ExpirationLeeway: 0, NotBeforeLeeway: '0s', ClockSkewLeeway: 0 }, 150_000, 150_000, 60_000],
  [{ ExpirationLeeway: -1, NotBeforeLeeway: '-5s', ClockSkewLeeway: -1e9 }, 0, 0, 0],
  [{ ExpirationLeeway: 2e9, NotBeforeLeeway: '3s', ClockSkewLeeway: '1m' }, 2_000, 3_000, 60_000],
])('the leeways of %j are %i, %i and %i ms', (config, expirationMs, notBeforeMs, clockSkewMs) => {
  expect(leewaysOf(config)).toEqual({ expirationMs, notBeforeMs, clockSkewMs })
})

test('an update may not orphan what a binding rule names, but a rule that was an orphan does not matter', () => {
  const existing = aMethod()
  const updated = aMethod({ Config: { ClaimMappings: { team: 'squad' } } })
  const orphan = aBindingRule({ Selector: 'value.gone == x' })
  expect(() => checkRulesFit(existing, updated, [orphan, aBindingRule()])).not.toThrow()
  for (const rule of [
    aBindingRule({ Selector: 'value.team == x' }),
    aBindingRule({ BindName: 'web-${value.team}' }),
  ]) {
    const refusal = refusalOf(() => checkRulesFit(existing, updated, [orphan, rule]))
    expect(refusal).toMatchObject({ code: 'field_invalid', field: 'Config' })
    expect(refusal.message).toContain(rule.ID)
  }
})
