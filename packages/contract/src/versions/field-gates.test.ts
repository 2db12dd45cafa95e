import { expect, test } from 'vitest'
import { GATES } from '../gates.ts'
import { ROUTE_LIST } from '../routes.ts'
import { createTokenSchema, updateTokenSchema } from '../tokens/schemas.ts'
import { absentFieldsOf, fieldGatesOf, profileOf } from './profile.ts'
import { parseServiceVersion } from './versions.ts'

const at = (version: string) => profileOf(parseServiceVersion(version))
const NEW_IN_1_5 = ['Roles', 'ServiceIdentities', 'NodeIdentities', 'ExpirationTime', 'ExpirationTTL']

test('every gate named by a field exists', () => {
  const gates = ROUTE_LIST.flatMap(({ schemas }) =>
    schemas.body ? [...fieldGatesOf(schemas.body).values()] : [],
  )
  expect(gates.length).toBeGreaterThan(10)
  for (const gate of gates) expect(GATES).toHaveProperty([gate])
})

test('1.4.0 lacks roles, identities and expiration, and chooses the ids of a create itself (spec 9.1)', () => {
  expect([...absentFieldsOf(createTokenSchema, at('1.4.0'))].sort()).toEqual(
    ['AccessorID', 'SecretID', ...NEW_IN_1_5].sort(),
  )
  expect([...absentFieldsOf(updateTokenSchema, at('1.4.0'))].sort()).toEqual(NEW_IN_1_5.toSorted())
})

test('1.8.1 has every field', () => {
  expect([...absentFieldsOf(createTokenSchema, at('1.8.0'))]).toEqual(['NodeIdentities'])
  expect(absentFieldsOf(createTokenSchema, at('1.8.1')).size).toBe(0)
})
