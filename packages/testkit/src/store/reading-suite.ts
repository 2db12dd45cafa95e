/** The part of the store suite about reading back what was written. */

import type { Change, Store } from '@latchkey/service'
import { beforeEach, describe, expect, test } from 'vitest'
import { deleteOf, putOf } from '../records/changes.ts'
import {
  aBindingRule,
  aKey,
  aMethod,
  anId,
  anIntention,
  aPolicy,
  aRole,
  aToken,
} from '../records/record-builders.ts'
import { putNew } from './suite-tools.ts'

export function describeReading(open: () => Store | Promise<Store>, keepsObjects: boolean): void {
  const sameObject = keepsObjects ? test : test.skip
  describe('reads written records', () => {
    let store: Store
    beforeEach(async () => {
      store = await open()
    })

    test('a token by accessor, case-insensitively, and by secret, case-sensitively', async () => {
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
        Value: { accessorId: '', z: [1.5, null, text], a: {} },
        CreateIndex: 0,
        ModifyIndex: 0,
      } as const
      const index = await store.commit([
        putNew(token),
        putOf('policies', policy, 0),
        putOf('roles', role, 0),
        putOf('kv', key),
        putOf('namespaces', namespace),
        ...methods.map((record): Change => putOf('authMethods', record, 0)),
        putOf('system', system),
      ])
      const intention = anIntention({
        SourceName: text,
        DestinationName: text,
        Action: undefined,
        Permissions: [{ Action: 'deny', HTTP: { PathPrefix: '/', Header: [{ Name: text, Present: true }] } }],
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
        putOf('intentions', intention, 0),
        putOf('intentionDestinations', destination, 0),
      ])
      const ruleIndex = await store.commit([putOf('bindingRules', rule, 0)])
      const at = { CreateIndex: index, ModifyIndex: index }
      const directory = store.directory()
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
      const token = aToken()
      await store.commit([putNew(token)])
      const first = await store.tokenBySecret(token.SecretID)
      await store.commit([putNew(aToken())])
      expect(await store.tokenByAccessor(token.AccessorID)).toBe(first)
      const directory = store.directory()
      await store.commit([putNew(aToken())])
      expect(store.directory().version).toBe(directory.version)
    })

    test('a deleted record is gone and can be created again', async () => {
      const token = aToken()
      const policy = aPolicy()
      const index = await store.commit([putNew(token), putOf('policies', policy, 0)])
      await store.commit([deleteOf('tokens', token, index), deleteOf('policies', policy, index)])
      expect(await store.tokenByAccessor(token.AccessorID)).toBeUndefined()
      expect(await store.tokenBySecret(token.SecretID)).toBeUndefined()
      expect(store.directory().policy(policy.ID)).toBeUndefined()
      const again = await store.commit([putNew(token)])
      expect((await store.tokenByAccessor(token.AccessorID))?.CreateIndex).toBe(again)
    })

    test('a token without accessor only by its secret, until it gets one (spec 9.2.3)', async () => {
      const token = aToken({ AccessorID: '' })
      const index = await store.commit([putNew(token)])
      expect((await store.tokenBySecret(token.SecretID))?.AccessorID).toBe('')
      expect(await store.tokenByAccessor('')).toBeUndefined()
      const named = { ...token, AccessorID: anId(77), CreateIndex: index, ModifyIndex: index }
      expect(await store.tokenByAccessor(anId(77))).toBeUndefined()
      await store.commit([putOf('tokens', named, index)])
      expect((await store.tokenByAccessor(anId(77)))?.SecretID).toBe(token.SecretID)
      expect((await store.tokenBySecret(token.SecretID))?.AccessorID).toBe(anId(77))
    })
  })
}
