import { mapClaims } from '@latchkey/acl'
import { aMethod } from '@latchkey/testkit/records/record-builders'
import { describe, expect, test } from 'vitest'
import { Authority } from '../../test/login/certificates.ts'
import {
  ES256,
  keys,
  outcomeOf,
  p384,
  rsa,
  STATIC,
  signed,
  valid,
  verifier,
  verify,
  withHeader,
} from '../../test/login/static-key.ts'
import {
  claimsWith,
  compact,
  ecKeys,
  edKeys,
  type KeyPair,
  NOW,
  pemOf,
  signer,
} from '../../test/login/tokens.ts'

describe('tokens that are accepted', () => {
  const ed = edKeys()
  const p521 = ecKeys('P-521')
  const algorithms: readonly (readonly [string, KeyPair])[] = [
    ['ES256', keys],
    ['ES384', p384],
    ['ES512', p521],
    ['RS256', rsa],
    ['RS384', rsa],
    ['RS512', rsa],
    ['PS256', rsa],
    ['PS384', rsa],
    ['PS512', rsa],
    ['EdDSA', ed],
  ]

  test.each(algorithms)('%s, which the static key supports', async (alg, pair) => {
    const token = compact({ alg }, claimsWith(), signer(alg, pair))
    expect(await outcomeOf(token, { ...STATIC, JWTValidationPubKeys: [pemOf(pair)] })).toBe('verified')
  })

  test('a token of a certificate with text around it, with any kid', async () => {
    const certificate = await new Authority().issue(keys.publicKey)
    const config = { ...STATIC, JWTValidationPubKeys: [`# key\n${certificate}\n# end`] }
    expect(await outcomeOf(withHeader({ ...ES256, kid: 'any', typ: 'at+jwt' }), config)).toBe('verified')
  })

  test('a token of any of several keys; at most 16 are tried', async () => {
    const others = Array.from({ length: 16 }, () => pemOf(ecKeys()))
    const outcomes = [15, 16].map((count) =>
      outcomeOf(valid, { ...STATIC, JWTValidationPubKeys: [...others.slice(0, count), pemOf(keys)] }),
    )
    expect(await Promise.all(outcomes)).toEqual(['verified', 'signature_unknown'])
  })

  test('a token with spaces around it; its claims are returned as they were signed', async () => {
    expect(await verify(`\r\n ${valid}\n`)).toEqual({ outcome: 'verified', claims: claimsWith() })
  })
})

describe('claims', () => {
  const config = {
    ...STATIC,
    ClaimMappings: Object.fromEntries([
      ['__proto__', 'proto'],
      ['constructor', '__proto__'],
      ['toString', 'toString'],
    ]),
    ListClaimMappings: { groups: 'groups' },
  }

  async function mapped(payload: string) {
    const method = aMethod({ Config: config })
    const verification = await verifier.verify(method, compact(ES256, payload, signed), NOW)
    return verification.outcome === 'verified' ? mapClaims(method, verification.claims) : verification
  }

  test('ATT-37: nothing inherited is read, and __proto__ is a claim like any other', async () => {
    const claims = JSON.stringify(claimsWith()).slice(0, -1)
    expect(await mapped(`${claims}}`)).toEqual({ mapped: { texts: new Map(), lists: new Map() } })
    const texts = new Map([
      ['value.proto', 'a'],
      ['value.__proto__', 'b'],
    ])
    const both = await mapped(`${claims},"__proto__":"a","constructor":"b"}`)
    expect(both).toEqual({ mapped: { texts, lists: new Map() } })
    // Registered claims are not read from a prototype either.
    expect(await mapped(`{"__proto__":${claims}}}`)).toMatchObject({ reason: 'times_missing' })
  })

  test('ATT-38: an object with a length is not a list', async () => {
    const payload = JSON.stringify(claimsWith({ groups: { length: 1, 0: 'admin' } }))
    expect(await mapped(payload)).toEqual({ fault: { reason: 'claim_not_list', claim: 'groups' } })
  })
})
