/** Attacks on logins, with and without a token, from one client and from many. */
import { anId } from '@latchkey/testkit/records/record-builders'
import { claimsWith, compact } from '../login/tokens.ts'
import { type Attack, floodOf, MANAGEMENT, post, put } from './attacks.ts'
import type { FloodOptions } from './clients.ts'
import { LATE_METHODS, REDIRECT_URI, RULE } from './login-scene.ts'

/** Spreads an attack over enough addresses that a limit per client does not stop it. */
const MANY: Partial<FloodOptions> = { clients: 100 }
const MANY_CONNECTIONS = 400
/** Connections of an attack whose requests wait for a provider. */
const WAITING_CONNECTIONS = 400
const LOGIN = '/v1/acl/login'
const AUTH_URL = '/v1/acl/oidc/auth-url'
const CALLBACK = '/v1/acl/oidc/callback'

const json = (value: unknown) => JSON.stringify(value)
const login = (AuthMethod: string, BearerToken: string, more: object = {}) =>
  post(LOGIN, json({ AuthMethod, BearerToken, ...more }))

/** A token whose signature is invalid under every key. */
function forged(kid: string, bytes = 256): string {
  const claims = claimsWith({ team: 'a'.repeat(bytes) })
  return compact({ alg: 'RS256', kid }, claims, () => Buffer.alloc(256, kid))
}

const META = { note: 'm'.repeat(2_000) }
const authUrl = (AuthMethod: string) =>
  post(AUTH_URL, json({ AuthMethod, RedirectURI: REDIRECT_URI, Meta: META }))
/** Claims that are far longer than what an honest provider signs. */
const LONG = { team: 'aB'.repeat(100_000), groups: Array.from({ length: 40_000 }, (_, i) => `group-${i}`) }
const LONG_CLAIMS = json({ Claims: LONG })
/** A pattern as large as the limits allow. Each one differs, so the server has to compile each one. */
const largePattern = (i: number) => `(?i)${'[a-z]{1,60}'.repeat(31)}${i}$`
export const LOGIN_ATTACKS: Readonly<Record<string, Attack>> = {
  // Without a token.
  'logins with garbage': floodOf(190, login('static', 'garbage')),
  'logins with garbage, many clients': floodOf(MANY_CONNECTIONS, login('static', 'garbage'), MANY),
  'logins with tokens of 30 KB': floodOf(MANY_CONNECTIONS, login('static', forged('k', 22_000)), MANY),
  'logins with bodies of 64 KB': floodOf(MANY_CONNECTIONS, login('static', 'x'.repeat(65_000)), MANY),
  'logins at unknown methods': floodOf(MANY_CONNECTIONS, (i) => login(`unknown-${i}`, 'garbage'), MANY),
  'logins with unknown keys': floodOf(MANY_CONNECTIONS, (i) => login('keys', forged(`k${i}`)), MANY),
  'logins with wrong signatures': floodOf(MANY_CONNECTIONS, login('keys', forged('k1')), MANY),
  'logins at 100 methods whose keys come late': floodOf(
    WAITING_CONNECTIONS,
    (i) => login(`late-${i % LATE_METHODS}`, forged(`k${i}`)),
    MANY,
  ),
  'logins, keys never come': floodOf(WAITING_CONNECTIONS, login('hanging', forged('k1')), MANY),
  'logins, cluster hangs': floodOf(WAITING_CONNECTIONS, login('cluster', forged('k1')), MANY),
  'logins, cluster never ends its answer': floodOf(WAITING_CONNECTIONS, login('endless', forged('k1')), MANY),
  'auth-urls': floodOf(MANY_CONNECTIONS, authUrl('people'), MANY),
  'auth-urls, provider hangs': floodOf(WAITING_CONNECTIONS, authUrl('people-hanging'), MANY),
  'callbacks of unknown states': floodOf(
    MANY_CONNECTIONS,
    (i) => post(CALLBACK, json({ AuthMethod: 'people', State: `s${i}`, Code: 'c'.repeat(2_000) })),
    MANY,
  ),
  'callbacks, provider hangs': floodOf(WAITING_CONNECTIONS, authUrl('people'), {
    ...MANY,
    followUp: (answer) => {
      const State = /[?&]state=(\w+)/.exec(answer)?.[1]
      if (State === undefined) return undefined
      return post(CALLBACK, json({ AuthMethod: 'people', State, Code: 'code' }))
    },
  }),
  'logouts refused': floodOf(MANY_CONNECTIONS, (i) => ({ ...post('/v1/acl/logout', '', anId(i)) }), MANY),
  // With a credential.
  'logins that succeed': (field) =>
    floodOf(MANY_CONNECTIONS, login('static', field.credential, { Meta: META }), MANY)(field),
  'logins with slow selectors': (field) =>
    floodOf(MANY_CONNECTIONS, login('slow', field.credential), MANY)(field),
  // With acl:write.
  'explanations of long claims': floodOf(
    30,
    post('/v1/acl/auth-method/slow/explain', LONG_CLAIMS, MANAGEMENT),
  ),
  'selectors of large patterns': (field) =>
    floodOf(30, (i) => {
      const Selector = `value.team matches "${largePattern(i)}"`
      return put(`/v1/acl/binding-rule/${field.ruleId}`, json({ ...RULE, Selector }), MANAGEMENT)
    })(field),
  'methods of hanging providers': (field) =>
    floodOf(100, (i) =>
      put(
        '/v1/acl/auth-method',
        json({ Name: `new-${i}`, Type: 'jwt', Config: { JWKSURL: `${field.provider}/hanging` } }),
        MANAGEMENT,
      ),
    )(field),
}
