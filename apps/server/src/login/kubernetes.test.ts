import type { AuthMethodRecord, KubernetesConfig } from '@latchkey/acl'
import { aMethod } from '@latchkey/testkit/records/record-builders'
import { beforeAll, describe, expect, test } from 'vitest'
import { Authority } from '../../test/login/certificates.ts'
import {
  authenticated,
  type KubernetesApi,
  REVIEWS,
  startKubernetesApi,
} from '../../test/login/kubernetes-api.ts'
import { NOW } from '../../test/login/tokens.ts'
import { Outgoing } from '../outgoing/outgoing.ts'
import { ProviderVerifier } from './provider-verifier.ts'

const BEARER = 'aGVhZA.Ym9keQ.c2lnbg'
const REVIEWER = 'cmV2aWV3ZXI.Ym9keQ.c2lnbg'
const WEB = '/api/v1/namespaces/shop/serviceaccounts/web'

const authority = new Authority()
let tls: Awaited<ReturnType<Authority['serverOptions']>>
let CACert: string
beforeAll(async () => {
  tls = await authority.serverOptions('127.0.0.1')
  CACert = await authority.certificate()
})

const verifier = new ProviderVerifier(new Outgoing({ allowHttp: true, msMax: 2_000 }))

async function logIn(api: KubernetesApi, config: Partial<KubernetesConfig> = {}, bearer = BEARER) {
  const Config = { Host: api.host, CACert, ServiceAccountJWT: REVIEWER, ...config }
  const method = { ...aMethod(), Type: 'kubernetes', Config } as AuthMethodRecord
  const verification = await verifier.verify(method, bearer, NOW)
  switch (verification.outcome) {
    case 'verified':
      return verification.claims
    case 'refused':
      return verification.reason
    case 'provider_unavailable':
      return verification.outcome
  }
}

test('requests a review of the token, then the service account', async () => {
  const api = await startKubernetesApi(tls)
  expect(await logIn(api)).toEqual({
    sub: 'system:serviceaccount:shop:web',
    namespace: 'shop',
    name: 'web',
    uid: 'uid-1',
  })
  const authorization = `Bearer ${REVIEWER}`
  expect(api.seen.map(({ body, ...request }) => ({ ...request, body: body && JSON.parse(body) }))).toEqual([
    {
      method: 'POST',
      path: REVIEWS,
      authorization,
      body: { kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', spec: { token: BEARER } },
    },
    { method: 'GET', path: WEB, authorization, body: '' },
  ])
})

test('a host without a scheme means https; its own path is kept as a prefix', async () => {
  const api = await startKubernetesApi(tls)
  expect(await logIn(api, { Host: api.host.slice('https://'.length) })).toMatchObject({ name: 'web' })
  expect(await logIn(api, { Host: `${api.host}/clusters/one/` })).toBe('provider_unavailable')
  expect(api.seen.at(-1)?.path).toBe(`/clusters/one${REVIEWS}`)
})

test.each([
  ['another name', { 'consul.hashicorp.com/service-name': 'shop-web' }, 'shop-web'],
  ['an empty name', { 'consul.hashicorp.com/service-name': '' }, ''],
  ['a number', { 'consul.hashicorp.com/service-name': 5 }, 'web'],
  ['other annotations', { 'service-name': 'x', __proto__: null }, 'web'],
])('the name annotation: %s', async (_title, annotations, name) => {
  const api = await startKubernetesApi(tls)
  api.account = { body: { metadata: { annotations } } }
  expect(await logIn(api)).toMatchObject({ name })
})

test('a method that ignores the annotation does not request the service account', async () => {
  const api = await startKubernetesApi(tls)
  api.account = { body: { metadata: { annotations: { 'consul.hashicorp.com/service-name': 'admin' } } } }
  expect(await logIn(api, { IgnoreNameAnnotation: true })).toEqual({
    sub: 'system:serviceaccount:shop:web',
    namespace: 'shop',
    name: 'web',
    uid: 'uid-1',
  })
  expect(api.seen.map(({ path }) => path)).toEqual([REVIEWS])
})

test('the review names the bound audiences, and must grant one', async () => {
  const api = await startKubernetesApi(tls)
  const bound = { BoundAudiences: ['latchkey', 'more'] }
  const outcomes: unknown[] = []
  for (const audiences of [['more'], ['other'], [], undefined, 'more', [{}]]) {
    api.review = { status: authenticated('system:serviceaccount:shop:web', { audiences }) }
    outcomes.push(await logIn(api, bound))
  }
  expect(JSON.parse(api.seen[0]?.body ?? '').spec).toEqual({ token: BEARER, audiences: ['latchkey', 'more'] })
  const [granted, ...others] = outcomes
  expect(granted).toMatchObject({ name: 'web' })
  expect(others).toEqual(others.map(() => 'audience_unmatched'))
})

describe('attacks', () => {
  test.each([
    ['denies it', { authenticated: false }, 'review_refused'],
    ['does not say', { user: { username: 'system:serviceaccount:shop:web' } }, 'review_refused'],
    [
      'confirms it as a string',
      { ...authenticated('system:serviceaccount:shop:web'), authenticated: 'true' },
      'review_refused',
    ],
    ['has an error', authenticated('system:serviceaccount:shop:web', { error: 'expired' }), 'review_refused'],
    ['names a user', authenticated('alice'), 'not_a_service_account'],
    ['names a node', authenticated('system:node:worker-1'), 'not_a_service_account'],
    ['names a node in four parts', authenticated('system:node:shop:web'), 'not_a_service_account'],
    ['names five parts', authenticated('system:serviceaccount:shop:web:x'), 'not_a_service_account'],
    ['names another system', authenticated('System:serviceaccount:shop:web'), 'not_a_service_account'],
    ['names a path', authenticated('system:serviceaccount:../x:y'), 'not_a_service_account'],
    ['names a parent folder', authenticated('system:serviceaccount:shop:..'), 'not_a_service_account'],
    ['names an empty account', authenticated('system:serviceaccount:shop:'), 'not_a_service_account'],
    ['names a query', authenticated('system:serviceaccount:shop:web?x=1'), 'not_a_service_account'],
    ['names two lines', authenticated('system:serviceaccount:shop:web\n'), 'not_a_service_account'],
    ['names an object', { authenticated: true, user: { username: {} } }, 'not_a_service_account'],
    ['names no user', { authenticated: true }, 'not_a_service_account'],
  ])('ATT-53: the review %s', async (_title, status, refusal) => {
    const api = await startKubernetesApi(tls)
    api.review = { status }
    expect(await logIn(api)).toBe(refusal)
    expect(api.seen.map(({ path }) => path)).toEqual([REVIEWS])
  })

  test('ATT-53: a service account that no longer exists is refused', async () => {
    const api = await startKubernetesApi(tls)
    api.account = { code: 404 }
    expect(await logIn(api)).toBe('not_a_service_account')
  })

  test('ATT-54: nothing is sent to an API whose certificate is of another authority, or for another host', async () => {
    const stranger = await startKubernetesApi(await new Authority().serverOptions('127.0.0.1'))
    expect(await logIn(stranger)).toBe('provider_unavailable')
    expect(stranger.seen).toEqual([])
    const other = await startKubernetesApi(await authority.serverOptions('10.0.0.1'))
    expect(await logIn(other)).toBe('provider_unavailable')
    expect(other.seen).toEqual([])
  })

  test('a credential that does not look like a token is not sent', async () => {
    const api = await startKubernetesApi(tls)
    expect(await logIn(api, {}, 'token')).toBe('token_malformed')
    expect(api.seen).toEqual([])
  })
})

test.each([
  ['forbids reviews', { code: 403 }],
  ['does not know the reviewer', { code: 401 }],
  ['fails', { code: 500 }],
  ['redirects', { code: 307 }],
  ['does not answer JSON', { text: 'ok' }],
  ['answers without a status', { text: '{}' }],
  ['answers more than 256 KiB', { text: JSON.stringify({ status: {}, more: 'x'.repeat(262_144) }) }],
])('an API that %s is treated as unavailable', async (_title, review) => {
  const api = await startKubernetesApi(tls)
  api.review = review
  expect(await logIn(api)).toBe('provider_unavailable')
  expect(api.seen).toHaveLength(1)
})

test('an API that does not show the service account is treated as unavailable', async () => {
  const api = await startKubernetesApi(tls)
  api.account = { code: 403 }
  expect(await logIn(api)).toBe('provider_unavailable')
})
