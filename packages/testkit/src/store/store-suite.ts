/** The suite of the store port, run against the memory store and against PostgreSQL. */

import type { AuthMethodRecord, KvRecord, TokenRecord } from '@latchkey/acl'
import { hasLegacyRights } from '@latchkey/acl'
import {
  type Change,
  type ConflictReason,
  type KvRange,
  type Store,
  StoreConflict,
  type TokenFilter,
  tokenTopic,
} from '@latchkey/service'
import { describe, expect, test } from 'vitest'
import { fuzzCount } from '../random.ts'
import {
  aBindingRule,
  aKey,
  aLoginState,
  aMethod,
  aNamespace,
  anId,
  anIntention,
  aPolicy,
  aRole,
  aToken,
} from '../records/record-builders.ts'
import { describeCatalog } from './catalog-suite.ts'
import { describeChanges } from './changes-suite.ts'
import { describeExpectations } from './expectations-suite.ts'
import { describeSessions } from './session-suite.ts'
import { describeWholeCommits } from './whole-commit-suite.ts'

interface StoreSuiteOptions {
  /** Whether an unchanged record stays the same object. False without caches. */
  readonly keepsObjects?: boolean
}

/**
 * @param open returns the store under test, initially empty. It may be the same each time, since the tests use own ids.
 */
export function describeStore(
  name: string,
  open: () => Store | Promise<Store>,
  { keepsObjects = true }: StoreSuiteOptions = {},
): void {
  const sameObject = keepsObjects ? test : test.skip
  describe(name, () => {
    describeChanges(open)
    describeWholeCommits(open)
    describeExpectations(open)
    describeCatalog(open)
    describeSessions(open)

    describe('leaves a gap of indexes where a commit asks for it', () => {
      test('its index is above the one it names, and later commits follow', async () => {
        const store = await open()
        const gap = 2 ** 32
        const above = store.commitIndex() + gap
        const token = aToken()
        const policy = aPolicy()
        const changes: Change[] = [putNew(token), { table: 'policies', op: 'put', record: policy, expect: 0 }]
        expect(await store.commit(changes, { above })).toBe(above + 1)
        expect(store.commitIndex()).toBe(above + 1)
        expect(await store.tokenBySecret(token.SecretID)).toMatchObject({ CreateIndex: above + 1 })
        expect(store.directory().policy(policy.ID)).toMatchObject({ ModifyIndex: above + 1 })
        const later = aToken()
        expect(await store.commit([putNew(later)], { above: 1 })).toBe(above + 2)
        expect(await store.tokenBySecret(later.SecretID)).toMatchObject({ CreateIndex: above + 2 })
        const followed = await store.changesAfter(above - gap)
        expect(followed?.index).toBe(above + 2)
        expect(followed?.tokens.map(({ AccessorID }) => AccessorID)).toContain(later.AccessorID)
      })

      test('a refused commit leaves none', async () => {
        const store = await open()
        const policy = aPolicy()
        await store.commit([{ table: 'policies', op: 'put', record: policy, expect: 0 }])
        const before = store.commitIndex()
        const twice: Change[] = [
          putNew(aToken()),
          { table: 'policies', op: 'put', record: policy, expect: 0 },
        ]
        await expect(store.commit(twice, { above: before + 2 ** 32 })).rejects.toThrow(StoreConflict)
        expect(await store.commit([putNew(aToken())])).toBe(before + 1)
      })
    })

    describe('reads written records', () => {
      test('a token by accessor, case-insensitively, and by secret, case-sensitively', async () => {
        const store = await open()
        const token = aToken({
          AccessorID: 'ABCDEF00-0000-4000-8000-000000000001',
          SecretID: 'abcdef00-0000-4000-8000-00000000000e',
        })
        const index = await store.commit([putNew(token)])
        const stored = { ...token, CreateIndex: index, ModifyIndex: index }
        expect(await store.tokenByAccessor('abcdef00-0000-4000-8000-000000000001')).toEqual(stored)
        expect(await store.tokenByAccessor('ABCDEF00-0000-4000-8000-000000000001')).toEqual(stored)
        expect(await store.tokenBySecret('abcdef00-0000-4000-8000-00000000000e')).toEqual(stored)
        expect(await store.tokenBySecret('ABCDEF00-0000-4000-8000-00000000000E')).toBeUndefined()
        expect(await store.tokenByAccessor(token.SecretID)).toBeUndefined()
      })

      test('every field of every record, with strings verbatim', async () => {
        const store = await open()
        const text = 'a\u0000b \ud800 \udc00\ud83d\ude00 \u001a0041 "\\\n ü'
        const token = aToken({
          Description: text,
          Policies: [{ ID: anId(1) }, { ID: anId(2) }],
          Roles: [{ ID: anId(3) }],
          ServiceIdentities: [{ ServiceName: 'web', Datacenters: ['dc1', text] }, { ServiceName: 'api' }],
          NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
          Rules: text,
          Type: 'client',
          Local: true,
          AuthMethod: text,
          AuthMethodNamespace: text,
          AuthMethodGeneration: 2 ** 53 - 1,
          LoginIdentity: text,
          ExpirationTime: '2026-02-01T00:00:00.5Z',
          CreateTime: '0001-01-01T00:00:00Z',
        })
        const policy = aPolicy({
          Name: `${text}${anId(4)}`,
          Description: text,
          Rules: text,
          Datacenters: [text],
        })
        const role = aRole({ Name: `${text}${anId(5)}`, Policies: [{ ID: policy.ID }] })
        const key = aKey({
          Key: 'a\u0000b/ü',
          Flags: 2n ** 64n - 1n,
          Value: Uint8Array.of(0, 255, 26),
          LockIndex: 7,
        })
        const namespace = {
          Name: `ns-${key.Key}`,
          Description: text,
          PolicyDefaults: [{ ID: policy.ID }],
          RoleDefaults: [{ ID: role.ID }],
          CreateIndex: 0,
          ModifyIndex: 0,
        }
        const methods = [
          aMethod({
            Name: `Jwt-${anId(6)}`,
            DisplayName: text,
            Description: text,
            MaxTokenTTL: '1h0m0s',
            TokenLocality: 'global',
            MaxLiveTokens: 10_000,
            IdleTTL: '1m0s',
            IdleSince: '2026-01-31T12:00:00Z',
            Config: { BoundAudiences: [text], ClaimMappings: { [text]: 'team' }, ExpirationLeeway: 5e9 },
            NamespaceRules: [{ Selector: text, BindNamespace: text }],
            Generation: 2 ** 53 - 1,
          }),
          {
            ...aMethod({ Name: `Kubernetes-${anId(6)}` }),
            Type: 'kubernetes',
            Config: { CACert: 'pem', Host: 'https://k', ServiceAccountJWT: `secret ${text}` },
          } as const,
        ]
        const rule = aBindingRule({
          Description: text,
          AuthMethod: `JWT-${anId(6)}`,
          Selector: text,
          BindName: text,
        })
        const system = {
          Key: 'bootstrap',
          Value: { z: [1.5, null, text], a: {} },
          CreateIndex: 0,
          ModifyIndex: 0,
        } as const
        const index = await store.commit([
          putNew(token),
          { table: 'policies', op: 'put', record: policy, expect: 0 },
          { table: 'roles', op: 'put', record: role, expect: 0 },
          { table: 'kv', op: 'put', record: key, expect: undefined },
          { table: 'namespaces', op: 'put', record: namespace, expect: undefined },
          ...methods.map((record): Change => ({ table: 'authMethods', op: 'put', record, expect: 0 })),
          { table: 'system', op: 'put', record: system, expect: undefined },
        ])
        const intention = anIntention({
          SourceName: text,
          DestinationName: text,
          Action: undefined,
          Permissions: [
            { Action: 'deny', HTTP: { PathPrefix: '/', Header: [{ Name: text, Present: true }] } },
          ],
          Description: text,
          LegacyMeta: { [text]: text },
        })
        const { DestinationNS, DestinationName } = intention
        const destination = {
          DestinationNS,
          DestinationName,
          Meta: { a: text },
          CreateIndex: 0,
          ModifyIndex: 0,
        }
        const intentionIndex = await store.commit([
          { table: 'intentions', op: 'put', record: intention, expect: 0 },
          { table: 'intentionDestinations', op: 'put', record: destination, expect: 0 },
        ])
        const ruleIndex = await store.commit([{ table: 'bindingRules', op: 'put', record: rule, expect: 0 }])
        const at = { CreateIndex: index, ModifyIndex: index }
        const directory = await store.directory()
        expect(await store.tokenBySecret(token.SecretID)).toEqual({ ...token, ...at })
        expect(directory.policyByName('default', policy.Name.toUpperCase())).toEqual({ ...policy, ...at })
        expect(directory.role(role.ID.toUpperCase())).toEqual({ ...role, ...at })
        expect(directory.namespace(namespace.Name)).toMatchObject({
          ...namespace,
          CreateIndex: index,
          ModifyIndex: index,
        })
        for (const method of methods) {
          expect(directory.authMethod('default', method.Name.toUpperCase())).toEqual({ ...method, ...at })
        }
        expect(directory.bindingRule(rule.ID.toUpperCase())).toEqual({
          ...rule,
          CreateIndex: ruleIndex,
          ModifyIndex: ruleIndex,
        })
        const atIntention = { CreateIndex: intentionIndex, ModifyIndex: intentionIndex }
        expect(directory.intentions().entry(intention)).toEqual({
          destination: { ...destination, ...atIntention },
          sources: [{ ...intention, ...atIntention }],
        })
        expect(store.tableIndex('intentions')).toBe(intentionIndex)
        expect(directory.system('bootstrap')).toMatchObject({ Value: system.Value, ModifyIndex: index })
        const read = await store.kvEntry('default', key.Key)
        expect(read).toMatchObject({ Key: key.Key, Flags: key.Flags, LockIndex: 7, ModifyIndex: index })
        expect([...(read?.Value ?? [])]).toEqual([0, 255, 26])
      })

      sameObject('a record that did not change is the same object', async () => {
        const store = await open()
        const token = aToken()
        await store.commit([putNew(token)])
        const first = await store.tokenBySecret(token.SecretID)
        await store.commit([putNew(aToken())])
        expect(await store.tokenByAccessor(token.AccessorID)).toBe(first)
        const directory = await store.directory()
        await store.commit([putNew(aToken())])
        expect((await store.directory()).version).toBe(directory.version)
      })

      test('a deleted record is gone and can be created again', async () => {
        const store = await open()
        const token = aToken()
        const policy = aPolicy()
        const index = await store.commit([
          putNew(token),
          { table: 'policies', op: 'put', record: policy, expect: 0 },
        ])
        await store.commit([
          { table: 'tokens', op: 'delete', record: token, expect: index },
          { table: 'policies', op: 'delete', record: policy, expect: index },
        ])
        expect(await store.tokenByAccessor(token.AccessorID)).toBeUndefined()
        expect(await store.tokenBySecret(token.SecretID)).toBeUndefined()
        expect((await store.directory()).policy(policy.ID)).toBeUndefined()
        const again = await store.commit([putNew(token)])
        expect((await store.tokenByAccessor(token.AccessorID))?.CreateIndex).toBe(again)
      })

      test('a token without accessor by its secret alone, until it gets one (spec 9.2.3)', async () => {
        const store = await open()
        const token = aToken({ AccessorID: '' })
        const index = await store.commit([putNew(token)])
        expect((await store.tokenBySecret(token.SecretID))?.AccessorID).toBe('')
        expect(await store.tokenByAccessor('')).toBeUndefined()
        const named = { ...token, AccessorID: anId(77), CreateIndex: index, ModifyIndex: index }
        expect(await store.tokenByAccessor(anId(77))).toBeUndefined()
        await store.commit([{ table: 'tokens', op: 'put', record: named, expect: index }])
        expect((await store.tokenByAccessor(anId(77)))?.SecretID).toBe(token.SecretID)
        expect((await store.tokenBySecret(token.SecretID))?.AccessorID).toBe(anId(77))
      })
    })

    describe('indexes', () => {
      test('increase with every commit; CreateIndex stays, ModifyIndex advances', async () => {
        const store = await open()
        const token = aToken()
        const first = await store.commit([putNew(token)])
        const second = await store.commit([
          { table: 'tokens', op: 'put', record: { ...token, Description: 'new' }, expect: first },
        ])
        expect(second).toBeGreaterThan(first)
        const stored = await store.tokenBySecret(token.SecretID)
        expect(stored).toMatchObject({ CreateIndex: first, ModifyIndex: second, Description: 'new' })
        expect(await store.tableIndex('tokens')).toBe(second)
      })

      test('a new record may have a CreateIndex, as an imported token does', async () => {
        const store = await open()
        const token = aToken({ CreateIndex: 3 })
        const index = await store.commit([putNew(token)])
        expect(await store.tokenBySecret(token.SecretID)).toMatchObject({
          CreateIndex: 3,
          ModifyIndex: index,
        })
      })

      test('of a table: the last change, deletions included, and no other table', async () => {
        const store = await open()
        const policy = aPolicy()
        const put = await store.commit([{ table: 'policies', op: 'put', record: policy, expect: 0 }])
        const roles = await store.tableIndex('roles')
        expect(await store.tableIndex('policies')).toBe(put)
        const removed = await store.commit([{ table: 'policies', op: 'delete', record: policy, expect: put }])
        expect(await store.tableIndex('policies')).toBe(removed)
        expect(await store.tableIndex('roles')).toBe(roles)
      })

      test('the directory gets another version with every change', async () => {
        const store = await open()
        const policy = aPolicy()
        const before = await store.directory()
        await store.commit([{ table: 'policies', op: 'put', record: policy, expect: 0 }])
        const after = await store.directory()
        expect(after.version).not.toBe(before.version)
        expect(before.policy(policy.ID)).toBeUndefined()
        expect(after.policy(policy.ID)?.Name).toBe(policy.Name)
      })
    })

    describe('refuses', () => {
      test('an expectation that does not hold', async () => {
        const store = await open()
        const token = aToken()
        const index = await store.commit([putNew(token)])
        const expects = [index - 1, index + 1]
        for (const expect of expects) {
          await refused(store, [{ table: 'tokens', op: 'put', record: token, expect }], 'changed')
          await refused(store, [{ table: 'tokens', op: 'delete', record: token, expect }], 'changed')
        }
        await refused(store, [{ table: 'tokens', op: 'put', record: aToken(), expect: 5 }], 'changed')
        await refused(store, [{ table: 'kv', op: 'put', record: aKey(), expect: 5 }], 'changed')
        await refused(store, [{ table: 'roles', op: 'delete', record: aRole(), expect: 5 }], 'changed')
      })

      test('COH-09: an update of a record that was deleted since it was read', async () => {
        const store = await open()
        const token = aToken()
        const index = await store.commit([putNew(token)])
        await store.commit([{ table: 'tokens', op: 'delete', record: token, expect: index }])
        await refused(store, [{ table: 'tokens', op: 'put', record: token, expect: index }], 'changed')
        await refused(store, [{ table: 'tokens', op: 'delete', record: token, expect: index }], 'changed')
        expect(await store.tokenBySecret(token.SecretID)).toBeUndefined()
        expect(await store.tokenByAccessor(token.AccessorID)).toBeUndefined()
      })

      test('an id that is already an accessor or a secret (decisions: tokens)', async () => {
        const store = await open()
        const token = aToken({ AccessorID: anId(0xabc), SecretID: anId(0xdef) })
        await store.commit([putNew(token)])
        await refused(store, [putNew(aToken({ AccessorID: token.AccessorID }))], 'accessor_in_use')
        await refused(
          store,
          [putNew(aToken({ AccessorID: token.AccessorID.toUpperCase() }))],
          'accessor_in_use',
        )
        await refused(store, [putNew(aToken({ AccessorID: token.SecretID }))], 'accessor_in_use')
        await refused(store, [putNew(aToken({ SecretID: token.SecretID }))], 'secret_in_use')
        await refused(store, [putNew(aToken({ SecretID: token.AccessorID }))], 'secret_in_use')
        await refused(store, [putNew(token)], 'secret_in_use')
      })

      test('an id that differs only in case from an accessor or a secret, unless it is not a UUID', async () => {
        const store = await open()
        const lower = aToken({ AccessorID: anId(0xabc1), SecretID: anId(0xdef1) })
        const upper = aToken({
          AccessorID: anId(0xabc2).toUpperCase(),
          SecretID: anId(0xdef2).toUpperCase(),
        })
        await store.commit([putNew(lower), putNew(upper)])
        for (const id of [lower.AccessorID, lower.SecretID, upper.AccessorID, upper.SecretID]) {
          for (const text of [id.toLowerCase(), id.toUpperCase(), id.replace(/[a-f]/i, swapCase)]) {
            await refused(store, [putNew(aToken({ AccessorID: text }))], 'accessor_in_use')
            await refused(store, [putNew(aToken({ SecretID: text }))], 'secret_in_use')
          }
        }
        const edited = { ...upper, Description: 'edited' }
        await store.commit([{ table: 'tokens', op: 'put', record: edited, expect: undefined }])
        await refused(
          store,
          [putNew(aToken({ AccessorID: upper.SecretID.toLowerCase() }))],
          'accessor_in_use',
        )
        await store.commit([{ table: 'tokens', op: 'delete', record: edited, expect: undefined }])
        await store.commit([putNew(aToken({ AccessorID: upper.SecretID.toLowerCase() }))])
        // The ID of a legacy token is any text and case-sensitive.
        await store.commit([
          putNew(aToken({ SecretID: 'Any Text' })),
          putNew(aToken({ SecretID: 'any text' })),
        ])
        // A token may have the same text as both ids.
        await store.commit([
          putNew(aToken({ AccessorID: anId(0xabc3), SecretID: anId(0xabc3).toUpperCase() })),
        ])
      })

      test('the name of another policy or role of the namespace, case-insensitively', async () => {
        const store = await open()
        const policy = aPolicy({ Name: `Name-${anId(9)}` })
        const role = aRole({ Name: policy.Name })
        await store.commit([{ table: 'policies', op: 'put', record: policy, expect: 0 }])
        // A role and a policy may have one name.
        await store.commit([{ table: 'roles', op: 'put', record: role, expect: 0 }])
        const Name = policy.Name.toUpperCase()
        await refused(
          store,
          [{ table: 'policies', op: 'put', record: aPolicy({ Name }), expect: 0 }],
          'name_in_use',
        )
        await refused(
          store,
          [{ table: 'roles', op: 'put', record: aRole({ Name }), expect: 0 }],
          'name_in_use',
        )
        const elsewhere = aPolicy({ Name, Namespace: await madeNamespace(store, 'other') })
        await store.commit([{ table: 'policies', op: 'put', record: elsewhere, expect: 0 }])
        await store.commit([{ table: 'policies', op: 'put', record: { ...policy, Name }, expect: undefined }])
        expect((await store.directory()).policyByName('default', policy.Name)?.Name).toBe(Name)
      })

      test('the same id or name twice in one commit', async () => {
        const store = await open()
        const token = aToken()
        const policy = aPolicy()
        await refused(
          store,
          [putNew(token), putNew(aToken({ AccessorID: token.AccessorID.toUpperCase() }))],
          'accessor_in_use',
        )
        const lettered = aToken({ AccessorID: anId(0xabc4), SecretID: anId(0xdef4) })
        for (const [fields, reason] of [
          [{ SecretID: lettered.SecretID.toUpperCase() }, 'secret_in_use'],
          [{ SecretID: lettered.AccessorID.toUpperCase() }, 'secret_in_use'],
          [{ AccessorID: lettered.SecretID.toUpperCase() }, 'accessor_in_use'],
        ] as const) {
          await refused(store, [putNew(lettered), putNew(aToken(fields))], reason)
        }
        await refused(
          store,
          [
            { table: 'policies', op: 'put', record: policy, expect: 0 },
            { table: 'policies', op: 'put', record: aPolicy({ Name: policy.Name.toUpperCase() }), expect: 0 },
          ],
          'name_in_use',
        )
      })

      /** For each kind, a change that puts a record into a namespace, and one that deletes it. */
      const residents = (Namespace: string) => {
        const [token, policy, role, method, key] = [
          aToken({ Namespace }),
          aPolicy({ Namespace }),
          aRole({ Namespace }),
          aMethod({ Namespace }),
          aKey({ Namespace }),
        ]
        const made = (op: 'put' | 'delete'): readonly Change[] => [
          { table: 'tokens', op, record: token, expect: undefined },
          { table: 'policies', op, record: policy, expect: undefined },
          { table: 'roles', op, record: role, expect: undefined },
          { table: 'authMethods', op, record: method, expect: undefined },
          { table: 'kv', op, record: key, expect: undefined },
        ]
        return made('put').map((put, i) => ({ put, remove: made('delete').slice(i, i + 1) }))
      }

      test('a record of a missing namespace', async () => {
        const store = await open()
        for (const { put } of residents(`nowhere-${anId(1)}`)) {
          await refused(store, [put], 'changed')
          // Also together with another, which may take a different write path.
          await refused(store, [putNew(aToken()), put], 'changed')
        }
        const token = aToken({ Namespace: 'nowhere' })
        const [result] = await Promise.allSettled([
          store.commit([putNew(token)]),
          store.commit([putNew(aToken())]),
          store.commit([putNew(aToken())]),
        ])
        expect(result).toMatchObject({ status: 'rejected', reason: { reason: 'changed' } })
        expect(await store.tokenBySecret(token.SecretID)).toBeUndefined()
      })

      test('the deletion of a namespace that is not empty, and later records for a deleted one', async () => {
        const store = await open()
        const record = aNamespace({ Name: await madeNamespace(store, `held-${anId(1)}`) })
        const deletion: Change = { table: 'namespaces', op: 'delete', record, expect: undefined }
        for (const { put, remove } of residents(record.Name)) {
          await store.commit([put])
          await refused(store, [deletion], 'changed')
          await store.commit(remove)
        }
        const [resident] = residents(record.Name)
        if (!resident) throw new TypeError('no record to put')
        await store.commit([deletion])
        await refused(store, [resident.put], 'changed')
        // Records from before this rule can be deleted.
        await store.commit(resident.remove)
        await madeNamespace(store, record.Name)
        await store.commit([resident.put])
      })

      test('a concurrent deletion of a namespace never leaves a record without it', async () => {
        const store = await open()
        for (let round = 0; round < fuzzCount(20); round += 1) {
          const record = aNamespace({ Name: await madeNamespace(store, `race-${round}-${anId(1)}`) })
          const deletion: Change = { table: 'namespaces', op: 'delete', record, expect: undefined }
          const puts = residents(record.Name).map(({ put }) => [put])
          const all = [[deletion], ...puts]
          // Each kind of write comes first, and last, in some round.
          const order = [...all.slice(round % all.length), ...all.slice(0, round % all.length)]
          const outcomes = await Promise.allSettled(order.map((changes) => store.commit(changes)))
          const isDeleted = outcomes[order.indexOf(all[0] ?? [])]?.status === 'fulfilled'
          expect((await store.directory()).namespace(record.Name) === undefined).toBe(isDeleted)
          const putCount =
            outcomes.filter(({ status }) => status === 'fulfilled').length - (isDeleted ? 1 : 0)
          expect(putCount).toBe(isDeleted ? 0 : puts.length)
        }
      })

      test('a binding rule of an auth method that is not there, and the delete of one without its rules', async () => {
        const store = await open()
        const method = aMethod()
        const [first, second] = ['', '-'].map(() => aBindingRule({ AuthMethod: method.Name.toUpperCase() }))
        if (!first || !second) throw new TypeError('no rules')
        const rule = (op: 'put' | 'delete', record: typeof first): Change => ({
          table: 'bindingRules',
          op,
          record,
          expect: undefined,
        })
        const deletion: Change = { table: 'authMethods', op: 'delete', record: method, expect: undefined }
        await refused(store, [rule('put', first)], 'changed')
        await store.commit([{ table: 'authMethods', op: 'put', record: method, expect: 0 }])
        await store.commit([rule('put', first), rule('put', second)])
        await refused(store, [deletion], 'changed')
        await refused(store, [rule('delete', first), deletion], 'changed')
        await store.commit([rule('delete', first), rule('delete', second), deletion])
        const directory = await store.directory()
        expect([directory.bindingRule(first.ID), directory.authMethod('default', method.Name)]).toEqual([
          undefined,
          undefined,
        ])
      })

      test('a whole commit if its last change is refused', async () => {
        const store = await open()
        const taken = aToken()
        await store.commit([putNew(taken)])
        const [token, policy, key] = [aToken(), aPolicy(), aKey()]
        const before = await store.tableIndex('tokens')
        await refused(
          store,
          [
            putNew(token),
            { table: 'policies', op: 'put', record: policy, expect: 0 },
            { table: 'kv', op: 'put', record: key, expect: undefined },
            putNew(taken),
          ],
          'secret_in_use',
        )
        expect(await store.tokenBySecret(token.SecretID)).toBeUndefined()
        expect((await store.directory()).policy(policy.ID)).toBeUndefined()
        expect(await store.kvEntry('default', key.Key)).toBeUndefined()
        expect(await store.tableIndex('tokens')).toBe(before)
      })

      test('one of many concurrent writers, without affecting the others', async () => {
        const store = await open()
        const taken = aToken()
        await store.commit([putNew(taken)])
        const writes = Array.from({ length: 20 }, (_, i) =>
          putNew(i % 4 === 0 ? aToken({ AccessorID: taken.AccessorID }) : aToken()),
        )
        const outcomes = await Promise.allSettled(writes.map((write) => store.commit([write])))
        expect(outcomes.map(({ status }) => status)).toEqual(
          writes.map((_, i) => (i % 4 === 0 ? 'rejected' : 'fulfilled')),
        )
      })
    })

    describe('concurrent commits', () => {
      test('COH-08: one of 64 equal creates wins, and the others are refused', async () => {
        const store = await open()
        const token = aToken()
        const outcomes = await Promise.allSettled(
          Array.from({ length: 64 }, () => store.commit([putNew(token)])),
        )
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
        const reasons = outcomes.flatMap((o) => (o.status === 'rejected' ? [o.reason] : []))
        expect(
          reasons.every((reason) => reason instanceof StoreConflict && reason.reason === 'secret_in_use'),
        ).toBe(true)
      })

      test('COH-09: one of 32 updates of one version wins', async () => {
        const store = await open()
        const token = aToken()
        let index = await store.commit([putNew(token)])
        for (let round = 0; round < 5; round += 1) {
          const expect_ = index
          const outcomes = await Promise.allSettled(
            Array.from({ length: 32 }, (_, i) =>
              store.commit([
                {
                  table: 'tokens',
                  op: 'put',
                  record: { ...token, Description: `${round}/${i}` },
                  expect: expect_,
                },
              ]),
            ),
          )
          const won = outcomes.flatMap((o, i) => (o.status === 'fulfilled' ? [{ index: o.value, i }] : []))
          expect(won).toHaveLength(1)
          index = won[0]?.index ?? 0
          expect(await store.tokenBySecret(token.SecretID)).toMatchObject({
            Description: `${round}/${won[0]?.i}`,
            ModifyIndex: index,
          })
        }
      })

      test('each commit has its own index', async () => {
        const store = await open()
        const indexes = await Promise.all(Array.from({ length: 300 }, () => store.commit([putNew(aToken())])))
        expect(new Set(indexes).size).toBe(300)
        expect(Math.max(...indexes)).toBe(await store.tableIndex('tokens'))
      })
    })

    describe('lists tokens', () => {
      test('in order of creation, by each filter, and in pages without gaps', async () => {
        const store = await open()
        const Namespace = await madeNamespace(store, `list-${anId(1)}`)
        const made: TokenRecord[] = []
        for (let i = 0; i < 24; i += 1) {
          made.push(
            aToken({
              Namespace,
              Policies:
                i % 2 === 0 ? [{ ID: anId(0xaa) }, { ID: anId(i) }] : i % 4 === 1 ? [{ ID: anId(i) }] : [],
              Roles: i % 3 === 0 ? [{ ID: anId(0xbb) }] : i % 3 === 1 ? [{ ID: anId(0xcc) }] : [],
              ServiceIdentities: i % 4 < 2 ? [{ ServiceName: i % 4 === 0 ? 'web' : 'api' }] : [],
              AuthMethod: i % 5 === 0 ? 'oidc' : i % 5 === 1 ? 'other' : '',
              AuthMethodNamespace: i % 5 > 1 ? '' : i % 2 === 0 ? 'default' : 'team',
              Local: i % 9 === 0,
              Type: i % 6 === 0 ? (i % 12 === 0 ? 'management' : 'client') : '',
              Rules: i % 8 === 1 ? 'key "" {}' : '',
              ...(i % 7 === 0 ? { AccessorID: '' } : {}),
            }),
          )
        }
        // Several at one index, so that the second key of the order decides.
        for (let i = 0; i < 24; i += 6) await store.commit(made.slice(i, i + 6).map(putNew))
        const all = await list(store, { namespace: Namespace })
        expect(all).toHaveLength(24)
        expect([...all].sort(inListOrder)).toEqual(all)
        const hasPolicy = (t: TokenRecord) => t.Policies.some(({ ID }) => ID === anId(0xaa))
        const hasRole = (t: TokenRecord) => t.Roles.some(({ ID }) => ID === anId(0xbb))
        const cases: readonly [TokenFilter, (token: TokenRecord) => boolean][] = [
          [{ policyId: anId(0xaa) }, hasPolicy],
          [{ roleId: anId(0xbb) }, hasRole],
          [{ serviceName: 'web' }, (t) => t.ServiceIdentities.some((s) => s.ServiceName === 'web')],
          [{ authMethod: 'oidc' }, (t) => t.AuthMethod === 'oidc'],
          [
            { authMethod: 'oidc', authMethodNamespace: 'team' },
            (t) => t.AuthMethod === 'oidc' && t.AuthMethodNamespace === 'team',
          ],
          [{ local: true }, (t) => t.Local],
          [{ local: false }, (t) => !t.Local],
          [{ policyId: anId(0xaa), roleId: anId(0xbb) }, (t) => hasPolicy(t) && hasRole(t)],
          [{ authMethod: 'oidc', local: false }, (t) => t.AuthMethod === 'oidc' && !t.Local],
          [{ legacy: true }, (t) => t.Type !== '' || t.Rules !== ''],
          [{ withoutAccessor: true }, (t) => t.AccessorID === ''],
          [{ management: true }, (t) => t.Type === 'management'],
          [{ legacyRights: true }, (t) => hasLegacyRights(t)],
        ]
        for (const [filter, shows] of cases) {
          const shown = all.filter(shows)
          expect(secrets(await list(store, { namespace: Namespace, ...filter }))).toEqual(secrets(shown))
          expect(await store.countTokens({ namespace: Namespace, ...filter })).toBe(shown.length)
          const reversed = await list(store, { namespace: Namespace, ...filter, newestFirst: true })
          expect(reversed.map(placeOf)).toEqual(shown.map(placeOf).reverse())
          expect(secrets(reversed).toSorted()).toEqual(secrets(shown).toSorted())
        }
        for (const size of [1, 5, 16, 53]) {
          const filter = { namespace: Namespace, policyId: anId(0xaa) }
          const paged = await listInPages(store, filter, size)
          expect(secrets(paged)).toEqual(secrets(all.filter(hasPolicy)))
        }
        const everywhere = secrets(await list(store, { policyId: anId(0xaa) }))
        expect(everywhere).toEqual(expect.arrayContaining([...secrets(all.filter(hasPolicy))]))
        expect(await list(store, { namespace: Namespace, limit: 0 })).toEqual([])
      })

      test.each([1, 5, 16, 53])('newest first too, in pages of %d without gaps (API-03)', async (limit) => {
        const store = await open()
        const Namespace = await madeNamespace(store, `newest-${limit}-${anId(3)}`)
        const made = Array.from({ length: 54 }, (_, i) => aToken({ Namespace, Local: i % 2 === 0 }))
        // Several at one index, so that the second key of the order decides.
        for (let i = 0; i < made.length; i += 6) await store.commit(made.slice(i, i + 6).map(putNew))
        for (const narrow of [{}, { local: true }]) {
          const filter = { namespace: Namespace, ...narrow }
          const paged = await listInPages(store, { ...filter, newestFirst: true }, limit)
          expect(secrets(paged)).toEqual(secrets(await list(store, filter)).toReversed())
        }
      })

      test('newest first across the pages that the store itself reads', async () => {
        const store = await open()
        const Namespace = await madeNamespace(store, `long-${anId(4)}`)
        const made = Array.from({ length: 1_050 }, () => aToken({ Namespace, AccessorID: '' }))
        await store.commit(made.map(putNew))
        const listed = secrets(await list(store, { namespace: Namespace, newestFirst: true }))
        expect(listed.toSorted()).toEqual(secrets(made).toSorted())
      })

      test.each([1, 7, 16])(
        'without an accessor, from one commit, in pages of %d without gaps, in both orders',
        async (limit) => {
          const store = await open()
          const Namespace = await madeNamespace(store, `ties-${limit}-${anId(5)}`)
          const made = Array.from({ length: 16 }, (_, i) =>
            aToken({ Namespace, ...(i % 4 === 0 ? {} : { AccessorID: '' }) }),
          )
          await store.commit(made.map(putNew))
          const filter = { namespace: Namespace }
          const all = secrets(await list(store, filter))
          expect(all.toSorted()).toEqual(secrets(made).toSorted())
          expect(secrets(await listInPages(store, filter, limit))).toEqual(all)
          const newestFirst = { ...filter, newestFirst: true } as const
          expect(secrets(await listInPages(store, newestFirst, limit))).toEqual(all.toReversed())
        },
      )

      test('up to and including a place, in both orders', async () => {
        const store = await open()
        const filter = { namespace: await madeNamespace(store, `until-${anId(7)}`) }
        const made = Array.from({ length: 12 }, (_, i) =>
          aToken({ Namespace: filter.namespace, ...(i % 3 === 0 ? { AccessorID: '' } : {}) }),
        )
        await store.commit(made.slice(0, 8).map(putNew))
        await store.commit(made.slice(8).map(putNew))
        for (const narrow of [filter, { ...filter, newestFirst: true } as const]) {
          const all = await list(store, narrow)
          const places = all.map((token) => store.placeOf(token))
          for (const [i, until] of places.entries()) {
            expect(secrets(await list(store, { ...narrow, until }))).toEqual(secrets(all.slice(0, i + 1)))
            const [after] = places.slice(2, 3)
            if (!after) throw new TypeError('the list is too short')
            const range = await list(store, { ...narrow, after, until })
            expect(secrets(range)).toEqual(secrets(all.slice(3, i + 1)))
          }
        }
      })

      test('reports which have changed, deletions included, or that it does not know', async () => {
        const store = await open()
        const [first, second] = [aToken(), aToken({ AccessorID: 'ABCDEF00-0000-4000-8000-000000000002' })]
        const start = await store.commit([putNew(first)])
        const changed = (after: number) => store.tokensChangedAfter(after)?.toSorted()
        const keys = (...tokens: readonly TokenRecord[]) =>
          tokens.map(({ AccessorID }) => AccessorID.toLowerCase()).toSorted()
        expect(changed(start)).toEqual([])
        const created = await store.commit([putNew(second)])
        const updated = { ...first, Description: 'updated' }
        const expected = await store.commit([{ table: 'tokens', op: 'put', record: updated, expect: start }])
        expect(changed(start)).toEqual(keys(first, second))
        expect(changed(created)).toEqual(keys(first))
        await store.commit([{ table: 'tokens', op: 'delete', record: updated, expect: expected }])
        expect(changed(expected)).toEqual(keys(first))
        const last = await store.commit([putNew(aToken({ AccessorID: '' }))])
        expect(changed(start)).toBeUndefined()
        expect(changed(last)).toEqual([])
        for (let i = 0; i < 600; i += 100) {
          await store.commit(Array.from({ length: 100 }, () => putNew(aToken())))
        }
        expect(changed(last)).toBeUndefined()
        expect(changed(await store.tableIndex('tokens'))).toEqual([])
      })

      test('continues after a deleted token', async () => {
        const store = await open()
        const filter = { namespace: await madeNamespace(store, `gone-${anId(6)}`) }
        await store.commit(
          Array.from({ length: 9 }, () => putNew(aToken({ Namespace: filter.namespace, AccessorID: '' }))),
        )
        const all = await list(store, filter)
        const [record] = all.slice(3, 4)
        if (!record) throw new TypeError('the list is too short')
        const after = store.placeOf(record)
        await store.commit([{ table: 'tokens', op: 'delete', record, expect: record.ModifyIndex }])
        expect(secrets(await list(store, { ...filter, after }))).toEqual(secrets(all.slice(4)))
      })

      test('with legacy rights alone: by rules or type, without links (spec 9.1)', async () => {
        const store = await open()
        const Namespace = await madeNamespace(store, `rights-${anId(1)}`)
        const rules = { Namespace, Type: 'client', Rules: 'key "" {}' } as const
        const manager = { Namespace, Type: 'management' } as const
        const link = { ID: anId(1) }
        const legacy = [aToken(rules), aToken({ ...rules, AccessorID: '' }), aToken(manager)]
        const others = [
          aToken({ ...rules, Rules: '' }),
          aToken({ ...rules, Policies: [link] }),
          aToken({ ...rules, Roles: [link] }),
          aToken({ ...rules, ServiceIdentities: [{ ServiceName: 'web' }] }),
          aToken({ ...rules, NodeIdentities: [{ NodeName: 'n', Datacenter: 'dc1' }] }),
          aToken({ ...manager, AccessorID: '' }),
          aToken({ ...manager, Policies: [link] }),
          aToken({ Namespace }),
        ]
        await store.commit([...legacy, ...others].map(putNew))
        const filter = { namespace: Namespace, legacyRights: true } as const
        expect(secrets(await list(store, filter))).toEqual(secrets(legacy.toSorted(inListOrder)))
        expect(await store.countTokens(filter)).toBe(3)
      })

      test('counts them after each commit', async () => {
        const store = await open()
        const Namespace = await madeNamespace(store, `count-${anId(1)}`)
        const count = () => store.countTokens({ namespace: Namespace, withoutAccessor: true })
        expect(await count()).toBe(0)
        const tokens = [aToken({ Namespace, AccessorID: '' }), aToken({ Namespace, AccessorID: '' })]
        const index = await store.commit(tokens.map(putNew))
        expect([await count(), await count()]).toEqual([2, 2])
        const [first = aToken()] = tokens
        const record = { ...first, AccessorID: anId(0x5_0000), ModifyIndex: index }
        await store.commit([{ table: 'tokens', op: 'put', record, expect: index }])
        expect(await count()).toBe(1)
      })

      sameObject('as the same objects that single reads give', async () => {
        const store = await open()
        const token = aToken({ Namespace: await madeNamespace(store, `same-${anId(2)}`) })
        await store.commit([putNew(token)])
        const [listed] = await list(store, { namespace: token.Namespace })
        expect(await store.tokenByAccessor(token.AccessorID)).toBe(listed)
      })

      test('that are expired: at or before the instant, oldest first, up to a limit', async () => {
        const store = await open()
        const at = (ms: number) => new Date(Date.UTC(2001, 0, 1) + ms).toISOString()
        const [third, first, second] = [
          aToken({ ExpirationTime: at(3) }),
          aToken({ ExpirationTime: at(1) }),
          aToken({ ExpirationTime: at(2) }),
        ]
        await store.commit([third, first, second, aToken()].map(putNew))
        const now = Date.UTC(2001, 0, 1)
        const expired = async (ms: number, limit: number) =>
          secrets(await store.expiredTokens(now + ms, limit))
        expect(await expired(0, 10)).toEqual([])
        expect(await expired(1, 10)).toEqual(secrets([first]))
        expect(await expired(3, 10)).toEqual(secrets([first, second, third]))
        expect(await expired(3, 2)).toEqual(secrets([first, second]))
        const local = aToken({ ExpirationTime: at(3), Local: true })
        await store.commit([putNew(local)])
        expect(await store.expiredTokens(now + 3, 1, { local: true })).toMatchObject([
          { SecretID: local.SecretID },
        ])
      })

      test('that are orphans: their auth method is gone, or another of its name is there', async () => {
        const store = await open()
        const method = aMethod({ Generation: 7_001 })
        const put = (record: typeof method): Change => ({
          table: 'authMethods',
          op: 'put',
          record,
          expect: undefined,
        })
        const made = { AuthMethod: method.Name, AuthMethodNamespace: 'default', AuthMethodGeneration: 7_001 }
        const token = aToken(made)
        const byHand = aToken({ AuthMethod: method.Name })
        await store.commit([put(method), putNew(token), putNew(byHand)])
        // Other tests of the store leave orphans of their own.
        const own = [token.AccessorID, byHand.AccessorID]
        const orphans = async () =>
          (await store.orphanedTokens(1_000))
            .map(({ AccessorID }) => AccessorID)
            .filter((id) => own.includes(id))
        expect(await orphans()).toEqual([])
        await store.commit([{ table: 'authMethods', op: 'delete', record: method, expect: undefined }])
        expect(await orphans()).toEqual([token.AccessorID])
        await store.commit([put({ ...method, Generation: 7_002 })])
        expect(await orphans()).toEqual([token.AccessorID])
        expect(await store.orphanedTokens(1)).toHaveLength(1)
        const localOrphans = await store.orphanedTokens(1_000, { local: true })
        expect(localOrphans.map(({ SecretID }) => SecretID)).not.toContain(token.SecretID)
      })
    })

    describe('limits of logins', () => {
      const now = Date.parse('2026-01-31T12:00:00Z')
      const minute = 60_000
      const at = (ms: number) => new Date(now + ms).toISOString()

      /** A method, and tokens that it has not made yet. */
      async function aLimitedMethod(store: Store, Generation: number, fields: Partial<AuthMethodRecord>) {
        const method = aMethod({ Generation, ...fields })
        const write = (more: Partial<AuthMethodRecord>) =>
          store.commit([
            {
              table: 'authMethods',
              op: 'put',
              record: { ...method, ...more } as AuthMethodRecord,
              expect: undefined,
            },
          ])
        await write({})
        const made = (more: Partial<TokenRecord> = {}) =>
          aToken({
            AuthMethod: method.Name,
            AuthMethodNamespace: 'default',
            AuthMethodGeneration: Generation,
            CreateTime: at(0),
            ...more,
          })
        return { made, write }
      }

      test('a method never has more tokens than it may, whatever is committed at once', async () => {
        const store = await open()
        const { made, write } = await aLimitedMethod(store, 7_101, { MaxLiveTokens: 5 })
        const free = await aLimitedMethod(store, 7_102, {})
        const outcomes = await Promise.all([
          ...Array.from({ length: 9 }, () => outcomeOf(store.commit([putNew(made())]))),
          ...Array.from({ length: 9 }, () =>
            outcomeOf(store.commit([putNew(free.made()), putNew(aToken())])),
          ),
        ])
        const refused = outcomes.filter((outcome) => outcome !== 'committed')
        expect(refused).toEqual(Array(4).fill('method_full'))
        const counts = await store.countLogins()
        expect([counts.get(7_101), counts.get(7_102)]).toEqual([5, 9])
        await write({ MaxLiveTokens: 7 })
        expect(await outcomeOf(store.commit([made(), made(), made()].map(putNew)))).toBe('method_full')
        expect(await outcomeOf(store.commit([made(), made()].map(putNew)))).toBe('committed')
        await write({ MaxLiveTokens: 1 })
        const [record] = await list(store, { authMethod: made().AuthMethod, limit: 1 })
        if (!record) throw new TypeError('there is no token')
        const update: Change = { table: 'tokens', op: 'put', record, expect: record.ModifyIndex }
        expect(await outcomeOf(store.commit([update]))).toBe('committed')
        expect(await outcomeOf(store.commit([putNew(made())]))).toBe('method_full')
      })

      test('are counted per identity, in pages, without what has expired', async () => {
        const store = await open()
        const { made } = await aLimitedMethod(store, 7_103, {})
        const tokens = [
          made({ LoginIdentity: 'b' }),
          made({ LoginIdentity: 'B\u0000\u001a', CreateTime: at(1) }),
          made({ LoginIdentity: 'b', CreateTime: at(-1) }),
          made({ LoginIdentity: 'ä', ExpirationTime: at(1) }),
          made({ LoginIdentity: 'b', ExpirationTime: at(0) }),
        ]
        await store.commit(tokens.map(putNew))
        const asked = { generation: 7_103, now, limit: 10 }
        const [B, b, a] = [
          { identity: 'B\u0000\u001a', count: 1, oldestCreateTime: at(1), lastUse: undefined },
          { identity: 'b', count: 2, oldestCreateTime: at(-1), lastUse: undefined },
          { identity: 'ä', count: 1, oldestCreateTime: at(0), lastUse: undefined },
        ]
        expect(await store.logins(asked)).toEqual([B, b, a])
        expect(await store.logins({ ...asked, limit: 1 })).toEqual([B])
        expect(await store.logins({ ...asked, after: 'B\u0000\u001a', limit: 1 })).toEqual([b])
        expect(await store.logins({ ...asked, after: 'b' })).toEqual([a])
        expect(await store.logins({ ...asked, now: now + 1 })).toEqual([B, b])
        expect(await store.logins({ ...asked, generation: 7_199 })).toEqual([])
      })

      test('a token is used as long as its idle time and a tenth have not passed since its last use', async () => {
        const store = await open()
        const { made } = await aLimitedMethod(store, 7_104, {})
        const [used, unused] = [made({ LoginIdentity: 'u' }), made({ LoginIdentity: 'u' })]
        await store.commit([used, unused].map(putNew))
        const limit = { ttlMs: 10 * minute, since: now }
        const use = async ({ AccessorID }: TokenRecord, ms: number, heldMs = 0, since = now) => {
          const { tokenUses } = store
          const asked = {
            accessorId: AccessorID,
            limit: { ...limit, since },
            now: now + ms,
            until: now + ms + heldMs,
          }
          return tokenUses.noteKnown(asked) || tokenUses.use(asked)
        }
        const idle = async (ms: number) =>
          (await store.idleTokens({ generation: 7_104, horizon: now + ms }, 10)).map(
            ({ AccessorID }) => AccessorID,
          )
        expect(await use(used, 10 * minute + 1)).toBe(true)
        expect(await idle(-1)).toEqual([])
        expect(await idle(0)).toEqual([unused.AccessorID])
        expect(await use(unused, 11 * minute)).toBe(false)
        expect(await use(unused, 11 * minute - 1, 0, now + 1)).toBe(true)
        expect(await use(used, 21 * minute, 20 * minute)).toBe(true)
        expect(await use(used, 52 * minute - 1)).toBe(true)
        expect(await use(used, 63 * minute)).toBe(false)
        expect(await use(used, 63 * minute)).toBe(false)
        const [group] = await store.logins({ generation: 7_104, now, limit: 1 })
        expect(group?.lastUse).toBe(now + 52 * minute - 1)
        expect(await idle(51 * minute)).toEqual([unused.AccessorID])
        expect(await store.idleTokens({ generation: 7_104, horizon: now + 52 * minute }, 1)).toHaveLength(1)
      })
    })

    describe('logins in a browser', () => {
      const now = Date.parse('2026-01-31T12:00:00Z')
      const few = { openMax: 2, now }

      test('are kept as they were, secrets and texts included, until they are taken', async () => {
        const { loginStates } = await open()
        const state = aLoginState({
          namespace: 'a',
          redirectUri: 'http://localhost/\u0000\ud800',
          clientNonceHash: 'hash',
          meta: { job: '\u0000"ü' },
          generation: 8_000,
        })
        expect(await loginStates.put(state, few)).toBe(true)
        expect(await loginStates.take(state.stateHash.toUpperCase())).toBeUndefined()
        expect(await loginStates.take(state.stateHash)).toEqual(state)
        expect(await loginStates.take(state.stateHash)).toBeUndefined()
      })

      test('ATT-45: of 50 calls at the same time one takes it', async () => {
        const { loginStates } = await open()
        const state = aLoginState({ generation: 8_001 })
        await loginStates.put(state, few)
        const taken = await Promise.all(Array.from({ length: 50 }, () => loginStates.take(state.stateHash)))
        expect(taken.filter((each) => each !== undefined)).toEqual([state])
      })

      test('are bounded per method; expired ones do not count', async () => {
        const { loginStates } = await open()
        const put = (fields: object) => loginStates.put(aLoginState({ generation: 8_002, ...fields }), few)
        expect(await put({ expiresAt: now })).toBe(true)
        expect(await put({ expiresAt: now + 1 })).toBe(true)
        expect(await put({})).toBe(true)
        expect(await put({})).toBe(false)
        expect(await put({ generation: 8_003 })).toBe(true)
        expect(await loginStates.put(aLoginState({ generation: 8_002 }), { ...few, now: now + 1 })).toBe(true)
      })

      test('are bounded per method also when many begin at once', async () => {
        const { loginStates } = await open()
        const begin = (generation: number) =>
          Array.from({ length: 20 }, () => loginStates.put(aLoginState({ generation }), { openMax: 7, now }))
        const [some, others] = await Promise.all(
          [8_005, 8_006].map((generation) => Promise.all(begin(generation))),
        )
        for (const kept of [some, others]) expect(kept?.filter((isKept) => isKept)).toHaveLength(7)
      })

      test('are removed once expired: at or before the instant', async () => {
        const { loginStates } = await open()
        const old = now - 10_000_000
        await loginStates.reap(old)
        const states = [old - 1, old, old + 1].map((expiresAt) =>
          aLoginState({ generation: 8_004, expiresAt }),
        )
        for (const state of states) await loginStates.put(state, { openMax: 9, now: old - 2 })
        expect(await loginStates.reap(old)).toBe(2)
        const left = await Promise.all(states.map(({ stateHash }) => loginStates.take(stateHash)))
        expect(left).toEqual([undefined, undefined, states[2]])
      })
    })

    describe('keys', () => {
      test('are listed under a prefix, in UTF-8 byte order, per namespace', async () => {
        const store = await open()
        for (const name of ['kv', 'other']) await madeNamespace(store, name)
        const keys = [
          'p/',
          'p/a',
          'p/a\u0000',
          'p/A',
          'p/b',
          'p/ü',
          'p/\uffff',
          'p/😀',
          'p/\u{10000}',
          'p',
          'q',
          'P/x',
        ]
        for (const Key of keys)
          await store.commit([{ table: 'kv', op: 'put', record: aKey({ Key, Namespace: 'kv' }), expect: 0 }])
        await store.commit([
          { table: 'kv', op: 'put', record: aKey({ Key: 'p/z', Namespace: 'other' }), expect: 0 },
        ])
        const listed = await entriesIn(store, { namespace: 'kv', prefix: 'p/' })
        expect(listed.map(({ Key }) => Key)).toEqual([
          'p/',
          'p/A',
          'p/a',
          'p/a\u0000',
          'p/b',
          'p/ü',
          'p/\uffff',
          'p/\u{10000}',
          'p/😀',
        ])
        expect(await entriesIn(store, { namespace: 'kv', prefix: '' })).toHaveLength(keys.length)
      })

      test('a range starts after a key and ends at a limit; names come without values', async () => {
        const store = await open()
        const namespace = await madeNamespace(store, `range-${anId(4)}`)
        for (const [i, Key] of ['a', 'p/a', 'p/b', 'p/c', 'p/ü', 'q'].entries()) {
          const record = aKey({ Key, Namespace: namespace, Value: Uint8Array.of(i) })
          await store.commit([{ table: 'kv', op: 'put', record, expect: 0 }])
        }
        const ranges = [
          [{ prefix: 'p/' }, ['p/a', 'p/b', 'p/c', 'p/ü']],
          [{ prefix: 'p/', after: '' }, ['p/a', 'p/b', 'p/c', 'p/ü']],
          [{ prefix: 'p/', after: 'p/b' }, ['p/c', 'p/ü']],
          [{ prefix: 'p/', after: 'p/bb' }, ['p/c', 'p/ü']],
          [{ prefix: 'p/', after: 'p/a', limit: 2 }, ['p/b', 'p/c']],
          [{ prefix: '', limit: 1 }, ['a']],
          [{ prefix: '', after: 'p/ü' }, ['q']],
          [{ prefix: 'p/', after: 'q' }, []],
          [{ prefix: 'z' }, []],
        ] as const
        for (const [range, keys] of ranges) {
          const entries = await entriesIn(store, { namespace, ...range })
          expect(entries.map(({ Key }) => Key)).toEqual(keys)
          const names = await allOf(store.kvKeys({ namespace, ...range }))
          expect(names).toEqual(entries.map(({ Key, ModifyIndex }) => ({ Key, ModifyIndex })))
        }
      })

      test('more than one page come in order, each once', async () => {
        const store = await open()
        const namespace = await madeNamespace(store, `pages-${anId(5)}`)
        const put = (n: number, bytes: number) => {
          const record = aKey({
            Key: `k/${n.toString().padStart(4, '0')}`,
            Namespace: namespace,
            Value: new Uint8Array(bytes).fill(n),
          })
          return { table: 'kv', op: 'put', record, expect: 0 } as const
        }
        const numbers = Array.from({ length: 1_203 }, (_, n) => n)
        for (let start = 0; start < numbers.length; start += 100) {
          await store.commit(numbers.slice(start, start + 100).map((n) => put(n, 10)))
        }
        for (const n of [2_000, 2_001, 2_002, 2_003]) await store.commit([put(n, 300_000)])
        await store.commit([put(2_004, 0), put(2_005, 512 * 1_024), put(2_006, 0)])
        const entries = await entriesIn(store, { namespace, prefix: 'k/' })
        const expected = [...numbers, 2_000, 2_001, 2_002, 2_003, 2_004, 2_005, 2_006]
        expect(entries.map(({ Key }) => Number(Key.slice(2)))).toEqual(expected)
        expect(
          entries.every(({ Key, Value }) => Value.every((byte) => byte === Number(Key.slice(2)) % 256)),
        ).toBe(true)
        const names = await allOf(store.kvKeys({ namespace, prefix: 'k/' }))
        expect(names.map(({ Key }) => Key)).toEqual(entries.map(({ Key }) => Key))
        const some = await allOf(store.kvKeys({ namespace, prefix: 'k/', limit: 1_001 }))
        expect(some).toHaveLength(1_001)
      })

      test('one reads as last written, and is gone after deleting it or its tree', async () => {
        const store = await open()
        const Namespace = await madeNamespace(store, `one-${anId(6)}`)
        const record = aKey({ Key: 't/1', Namespace })
        const read = async () => (await store.kvEntry(Namespace, 't/1'))?.Flags
        const put = (Flags: bigint): Change => ({
          table: 'kv',
          op: 'put',
          record: { ...record, Flags },
          expect: undefined,
        })
        expect(await read()).toBeUndefined()
        for (const remove of [
          { table: 'kv', op: 'delete', record, expect: undefined },
          { table: 'kv', op: 'delete-tree', namespace: Namespace, prefix: 't/' },
        ] as const) {
          await store.commit([put(1n)])
          expect(await read()).toBe(1n)
          await store.commit([put(2n)])
          expect(await read()).toBe(2n)
          await store.commit([remove])
          expect(await read()).toBeUndefined()
        }
      })

      test('are deleted with their tree, and no others', async () => {
        const store = await open()
        const Namespace = await madeNamespace(store, `tree-${anId(3)}`)
        for (const Key of ['t/1', 't/2/x', 't', 'u', 't_']) {
          await store.commit([{ table: 'kv', op: 'put', record: aKey({ Key, Namespace }), expect: 0 }])
        }
        const index = await store.commit([
          { table: 'kv', op: 'delete-tree', namespace: Namespace, prefix: 't/' },
        ])
        const left = await entriesIn(store, { namespace: Namespace, prefix: '' })
        expect(left.map(({ Key }) => Key)).toEqual(['t', 't_', 'u'])
        expect(await store.tableIndex('kv')).toBe(index)
        const nothing = await store.commit([
          { table: 'kv', op: 'delete-tree', namespace: Namespace, prefix: 'zz' },
        ])
        expect(await store.tableIndex('kv')).toBe(nothing)
      })
    })

    describe('waiting', () => {
      test('ends when a commit touches the topic', async () => {
        const store = await open()
        const token = aToken()
        const index = await store.commit([putNew(token)])
        const waits = [
          store.wait('tokens', index, 10_000),
          store.wait(tokenTopic(token.AccessorID), index, 10_000),
          store.wait(tokenTopic(anId(0xffff)), index, 300),
        ]
        await store.commit([{ table: 'tokens', op: 'delete', record: token, expect: index }])
        expect(await Promise.all(waits)).toEqual(['changed', 'changed', 'timeout'])
      })

      test('a commit between the read and the wait counts', async () => {
        const store = await open()
        const [token, key] = [aToken(), aKey({ Namespace: await madeNamespace(store, 'wait') })]
        const index = await store.commit([
          putNew(token),
          { table: 'kv', op: 'put', record: key, expect: undefined },
        ])
        expect(await store.wait(tokenTopic(token.AccessorID), index, 100)).toBe('timeout')
        await store.commit([{ table: 'kv', op: 'delete-tree', namespace: 'wait', prefix: key.Key }])
        await store.commit([{ table: 'tokens', op: 'put', record: token, expect: index }])
        expect(await store.wait(tokenTopic(token.AccessorID), index, 10_000)).toBe('changed')
        expect(await store.wait(`kv:wait/${key.Key}`, index, 10_000)).toBe('changed')
        expect(await store.wait('kv', index, 10_000)).toBe('changed')
      })

      test('ends at once when aborted', async () => {
        const store = await open()
        const index = await store.tableIndex('tokens')
        expect(await store.wait('tokens', index, 10_000, AbortSignal.abort())).toBe('aborted')
        const controller = new AbortController()
        const wait = store.wait('tokens', index, 10_000, controller.signal)
        controller.abort()
        expect(await wait).toBe('aborted')
      })
    })
  })
}

/** The name of an existing namespace. */
async function madeNamespace(store: Store, Name: string): Promise<string> {
  const record = aNamespace({ Name })
  await store.commit([{ table: 'namespaces', op: 'put', record, expect: undefined }])
  return Name
}

/** `committed`, or why not. */
async function outcomeOf(commit: Promise<number>): Promise<'committed' | ConflictReason> {
  try {
    await commit
    return 'committed'
  } catch (error) {
    if (error instanceof StoreConflict) return error.reason
    throw error
  }
}

function putNew(record: TokenRecord): Change {
  return { table: 'tokens', op: 'put', record, expect: 0 }
}

async function refused(store: Store, changes: readonly Change[], reason: ConflictReason): Promise<void> {
  await expect(store.commit(changes)).rejects.toMatchObject({ name: 'StoreConflict', reason })
}

async function list(store: Store, filter: TokenFilter): Promise<TokenRecord[]> {
  const tokens: TokenRecord[] = []
  for await (const page of store.tokens(filter)) tokens.push(...page)
  return tokens
}

/** Pages like a client that knows only the last token of each page. */
async function listInPages(store: Store, filter: TokenFilter, limit: number): Promise<TokenRecord[]> {
  const tokens: TokenRecord[] = []
  for (;;) {
    const last = tokens.at(-1)
    const page = await list(store, { ...filter, limit, ...(last ? { after: store.placeOf(last) } : {}) })
    tokens.push(...page)
    if (page.length < limit) return tokens
  }
}

function secrets(tokens: readonly TokenRecord[]): readonly string[] {
  return tokens.map(({ SecretID }) => SecretID)
}

const placeOf = ({ CreateIndex, AccessorID }: TokenRecord) => ({ CreateIndex, AccessorID })

function inListOrder(a: TokenRecord, b: TokenRecord): number {
  return (
    a.CreateIndex - b.CreateIndex || (a.AccessorID < b.AccessorID ? -1 : a.AccessorID > b.AccessorID ? 1 : 0)
  )
}

function entriesIn(store: Store, range: KvRange): Promise<KvRecord[]> {
  return allOf(store.kvEntries(range))
}

async function allOf<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = []
  for await (const page of pages) all.push(...page)
  return all
}

function swapCase(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
}
