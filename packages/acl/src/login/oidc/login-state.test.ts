import { aMethod } from '@latchkey/testkit/records/record-builders'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { expect, test } from 'vitest'
import { SeededRandom } from '../../seeded-random.ts'
import { beginLogin, loginStateHash, type OidcMethod, resumeLogin } from './login-state.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const REDIRECT_URI = 'http://localhost:8550/oidc/callback'
const Config = {
  OIDCDiscoveryURL: 'https://issuer.example',
  OIDCClientID: 'latchkey',
  OIDCClientSecret: 'secret',
  AllowedRedirectURIs: [REDIRECT_URI],
}
const METHOD: OidcMethod = { ...aMethod({ Name: 'people', Generation: 7 }), Type: 'oidc', Config }

function begin(clientNonce?: string) {
  const at = { random: new SeededRandom(1), now: NOW }
  return beginLogin(METHOD, { redirectUri: REDIRECT_URI, clientNonce }, at)
}

test('the store keeps a hash of the state, and never the state itself', () => {
  const { state, kept } = begin('of the client')
  expect(kept.stateHash).toBe(loginStateHash(state))
  expect(new Set([state, kept.nonce, kept.pkceVerifier]).size).toBe(3)
  for (const secret of [state, 'of the client']) expect(JSON.stringify(kept)).not.toContain(secret)
})

// Each differs in only one respect.
test.each<readonly [string, Partial<OidcMethod>, number]>([
  ['of another method', { Name: 'others' }, NOW],
  ['of another namespace', { Namespace: 'team' }, NOW],
  ['of an earlier method of the name', { Generation: 8 }, NOW],
  ['that is ten minutes old', {}, NOW + 600_000],
])('ATT-46: a state %s is refused', (_title, other, now) => {
  const { kept } = begin()
  expect(resumeLogin(kept, METHOD, { now: NOW + 599_999 })).toBe(kept)
  const { message } = refusalOf(() => resumeLogin(kept, { ...METHOD, ...other }, { now }))
  expect(message).toBe('Permission denied: Expired or missing OAuth state')
})

test.each([[undefined], [''], ['another']])('ATT-47: %j is not the nonce of the client', (clientNonce) => {
  const { kept } = begin('of the client')
  expect(resumeLogin(kept, METHOD, { clientNonce: 'of the client', now: NOW })).toBe(kept)
  const { message } = refusalOf(() => resumeLogin(kept, METHOD, { clientNonce, now: NOW }))
  expect(message).toBe('Permission denied: Invalid client nonce')
})
