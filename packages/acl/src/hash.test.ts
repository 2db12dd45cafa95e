import { expect, test } from 'vitest'
import { type HashedToken, policyHash, roleHash, tokenHash } from './hash.ts'

/** Vectors computed by a real service. */
const TOKEN_VECTORS: readonly (readonly [string, Partial<HashedToken>, string])[] = [
  ['an empty token', {}, 'NLOoV2WBU8ieJIrYXXx8NRb5C2xU61pVVWRDLEIMxlU='],
  ['a description', { Description: 'a' }, 'gnL7MgGi/pPdD6xGoayDm7BX4qKSasEbs+83NTC5h0k='],
  ['a local token', { Description: 'loc', Local: true }, 'k+94MePXlfEPMGfReCV8Df2qNzFgIbmQeX15T9Ou9xc='],
  [
    'service identities, one with datacenters',
    {
      ServiceIdentities: [{ ServiceName: 'api' }, { ServiceName: 'web', Datacenters: ['dc1', 'dc2', 'dc3'] }],
    },
    'I4t6v87VqLDPg2b3DGEF5NBD4YIcYsAsTCmEXlo/vPE=',
  ],
  ['the anonymous token', { Description: 'Anonymous Token' }, 'RNVFSWnfd5DUOuB8vplp+imivlIna3fKQVnkUHh21cA='],
]

function aHashedToken(fields: Partial<HashedToken>): HashedToken {
  return {
    Description: '',
    Type: '',
    Rules: '',
    Local: false,
    Policies: [],
    Roles: [],
    ServiceIdentities: [],
    NodeIdentities: [],
    ...fields,
  }
}

test.each(TOKEN_VECTORS)('the hash of %s equals that of a real service', (_name, fields, hash) => {
  expect(tokenHash(aHashedToken(fields))).toBe(hash)
})

test('the hash of a policy equals that of a real service', () => {
  const policy = { Name: 'p2', Description: '', Rules: '', Datacenters: undefined }
  expect(policyHash(policy)).toBe('I8eFXB/heIM2e4kpbOU9RTIUEZqr5BGYwR2RCQptvZg=')
})

test('fields are joined without separators, so a role hashes like a policy of the same bytes', () => {
  const role = { Name: 'p2', Description: '', Policies: [], ServiceIdentities: [], NodeIdentities: [] }
  expect(roleHash(role)).toBe('I8eFXB/heIM2e4kpbOU9RTIUEZqr5BGYwR2RCQptvZg=')
})

test('the hash of a token covers legacy type and rules', () => {
  const plain = tokenHash(aHashedToken({}))
  expect(tokenHash(aHashedToken({ Type: 'client' }))).not.toBe(plain)
  expect(tokenHash(aHashedToken({ Rules: 'operator = "read"' }))).not.toBe(plain)
})
