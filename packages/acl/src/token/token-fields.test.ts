import { REDACTED_SECRET_ID } from '@latchkey/contract'
import { aDirectory, countingRandom } from '@latchkey/testkit/records/context'
import { aPolicy, aRole, aToken } from '@latchkey/testkit/records/record-builders'
import { expect, test } from 'vitest'
import { tokenHash } from '../hash.ts'
import { BLANK_TOKEN, type TokenRecord } from '../records/records.ts'
import { cloneToken } from './create-token.ts'
import { showToken } from './show-token.ts'
import { updateToken } from './update-token.ts'

interface Field {
  /** A value that differs from the one of {@link token}. */
  readonly other: unknown
  readonly isShown: boolean
  readonly isHashed: boolean
  /** What an update without this field leaves. */
  readonly update: 'kept' | 'cleared' | 'computed'
  /** `refused`: a source with another value cannot be cloned. */
  readonly clone: 'copied' | 'new' | 'computed' | 'refused'
}

const policies = [aPolicy(), aPolicy()] as const
const roles = [aRole(), aRole()] as const
const directory = aDirectory({ policies: [...policies], roles: [...roles] })

const token = aToken({
  Description: 'original',
  Policies: [{ ID: policies[0].ID }],
  Roles: [{ ID: roles[0].ID }],
  ServiceIdentities: [{ ServiceName: 'web' }],
  NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
})

const CONTENT = { isShown: true, isHashed: true, update: 'cleared', clone: 'copied' } as const
const FIXED = { isShown: true, isHashed: false, update: 'kept', clone: 'copied' } as const
const ORIGIN = { isShown: true, isHashed: false, update: 'kept', clone: 'refused' } as const
const INDEX = { isShown: true, isHashed: false, update: 'kept', clone: 'new' } as const

/** Every field of a record: the compiler asks here for a new one, and the tests ask the rules. */
const FIELDS = {
  AccessorID: { ...INDEX, other: 'another' },
  SecretID: { ...INDEX, other: 'another' },
  Description: { ...CONTENT, other: 'another' },
  Policies: { ...CONTENT, other: [{ ID: policies[1].ID }] },
  Roles: { ...CONTENT, other: [{ ID: roles[1].ID }] },
  ServiceIdentities: { ...CONTENT, other: [{ ServiceName: 'api' }] },
  NodeIdentities: { ...CONTENT, other: [{ NodeName: 'n2', Datacenter: 'dc1' }] },
  Rules: { ...CONTENT, clone: 'refused', other: 'acl = "read"' },
  Type: { isShown: false, isHashed: true, update: 'cleared', clone: 'new', other: 'client' },
  Local: { ...FIXED, isHashed: true, other: true },
  AuthMethod: { ...ORIGIN, other: 'oidc' },
  AuthMethodNamespace: { ...FIXED, other: 'team' },
  AuthMethodGeneration: { ...FIXED, isShown: false, other: 7 },
  LoginIdentity: { ...FIXED, isShown: false, other: 'jane' },
  ExpirationTime: { ...FIXED, other: '2028-02-29T12:30:00Z' },
  CreateTime: { ...INDEX, other: '2020-01-01T00:00:00Z' },
  Hash: { ...FIXED, update: 'computed', clone: 'computed', other: 'another' },
  CreateIndex: { ...INDEX, other: 3 },
  ModifyIndex: { ...INDEX, other: 5 },
  Namespace: { ...FIXED, other: 'team' },
} satisfies Record<keyof TokenRecord, Field>

const NOW = Date.parse('2028-02-29T11:59:30.25Z')
const seen = { directory, showSecret: true, showNamespace: true }

test.each(Object.entries<Field>(FIELDS) as [keyof TokenRecord, Field][])(
  'show, hash, update and clone treat %s as its row says',
  (name, { other, isShown, isHashed, ...kept }) => {
    const changed: TokenRecord = { ...token, [name]: other }
    expect(changed[name]).not.toEqual(token[name])
    const isDifferent = JSON.stringify(showToken(changed, seen)) !== JSON.stringify(showToken(token, seen))
    expect(isDifferent).toBe(isShown)
    expect(tokenHash(changed) !== tokenHash(token)).toBe(isHashed)

    const updated = updateToken(changed, changed.Local ? { Local: true } : {}, {
      pathAccessorId: changed.AccessorID,
      directory,
    })
    const left = { kept: other, cleared: BLANK_TOKEN[name] }
    if (kept.update === 'computed') expect(updated.Hash).toBe(tokenHash(updated))
    else expect(updated[name]).toEqual(left[kept.update])

    const clone = () => cloneToken(changed, undefined, { now: NOW, random: countingRandom(), directory })
    if (kept.clone === 'refused') expect(clone).toThrow()
    else if (kept.clone === 'computed') expect(clone().Hash).toBe(tokenHash(clone()))
    else if (kept.clone === 'copied') expect(clone()[name]).toEqual(other)
    else expect(clone()[name]).not.toEqual(other)
  },
)

test('a caller that may not see secrets sees every other field', () => {
  expect(showToken(token, { ...seen, showSecret: false })).toEqual({
    ...showToken(token, seen),
    SecretID: REDACTED_SECRET_ID,
  })
})
