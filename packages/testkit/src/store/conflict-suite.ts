/** The part of the store suite about refused commits. */

import type { Change, Store } from '@latchkey/service'
import { beforeEach, describe, expect, test } from 'vitest'
import { fuzzCount } from '../random.ts'
import { deleteOf, putOf } from '../records/changes.ts'
import {
  aBindingRule,
  aKey,
  aMethod,
  aNamespace,
  anId,
  anIntention,
  aPolicy,
  aRole,
  aToken,
} from '../records/record-builders.ts'
import { madeNamespace, putNew, refused } from './suite-tools.ts'

export function describeConflicts(open: () => Store | Promise<Store>): void {
  describe('refuses', () => {
    let store: Store
    beforeEach(async () => {
      store = await open()
    })

    test('an expectation that fails', async () => {
      const token = aToken()
      const index = await store.commit([putNew(token)])
      const expects = [index - 1, index + 1]
      for (const expect of expects) {
        await refused(store, [putOf('tokens', token, expect)], 'changed')
        await refused(store, [deleteOf('tokens', token, expect)], 'changed')
      }
      await refused(store, [putOf('tokens', aToken(), 5)], 'changed')
      await refused(store, [putOf('kv', aKey(), 5)], 'changed')
      await refused(store, [deleteOf('roles', aRole(), 5)], 'changed')
    })

    test('COH-09: an update of a record that was deleted since it was read', async () => {
      const token = aToken()
      const index = await store.commit([putNew(token)])
      await store.commit([deleteOf('tokens', token, index)])
      await refused(store, [putOf('tokens', token, index)], 'changed')
      await refused(store, [deleteOf('tokens', token, index)], 'changed')
      expect(await store.tokenBySecret(token.SecretID)).toBeUndefined()
      expect(await store.tokenByAccessor(token.AccessorID)).toBeUndefined()
    })

    test('an id that is already an accessor or a secret (decisions: tokens)', async () => {
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
      const lower = aToken({ AccessorID: anId(0xabc1), SecretID: anId(0xdef1) })
      const upper = aToken({ AccessorID: anId(0xabc2).toUpperCase(), SecretID: anId(0xdef2).toUpperCase() })
      await store.commit([putNew(lower), putNew(upper)])
      for (const id of [lower.AccessorID, lower.SecretID, upper.AccessorID, upper.SecretID]) {
        for (const text of [id.toLowerCase(), id.toUpperCase(), id.replace(/[a-f]/i, swapCase)]) {
          await refused(store, [putNew(aToken({ AccessorID: text }))], 'accessor_in_use')
          await refused(store, [putNew(aToken({ SecretID: text }))], 'secret_in_use')
        }
      }
      const edited = { ...upper, Description: 'edited' }
      await store.commit([putOf('tokens', edited)])
      await refused(store, [putNew(aToken({ AccessorID: upper.SecretID.toLowerCase() }))], 'accessor_in_use')
      await store.commit([deleteOf('tokens', edited)])
      await store.commit([putNew(aToken({ AccessorID: upper.SecretID.toLowerCase() }))])
      // The ID of a legacy token is any text and case-sensitive.
      await store.commit([putNew(aToken({ SecretID: 'Any Text' })), putNew(aToken({ SecretID: 'any text' }))])
      // A token may have the same text as both ids.
      await store.commit([putNew(aToken({ AccessorID: anId(0xabc3), SecretID: anId(0xabc3).toUpperCase() }))])
    })

    test('the name of another policy or role of the namespace, case-insensitively', async () => {
      const policy = aPolicy({ Name: `Name-${anId(9)}` })
      const role = aRole({ Name: policy.Name })
      await store.commit([putOf('policies', policy, 0)])
      // A role and a policy may share a name.
      await store.commit([putOf('roles', role, 0)])
      const Name = policy.Name.toUpperCase()
      await refused(store, [putOf('policies', aPolicy({ Name }), 0)], 'name_in_use')
      await refused(store, [putOf('roles', aRole({ Name }), 0)], 'name_in_use')
      const elsewhere = aPolicy({ Name, Namespace: await madeNamespace(store, 'other') })
      await store.commit([putOf('policies', elsewhere, 0)])
      await store.commit([putOf('policies', { ...policy, Name })])
      expect(store.directory().policyByName('default', policy.Name)?.Name).toBe(Name)
    })

    test('an intention whose names differ from a stored one only in case', async () => {
      const stored = anIntention()
      const { DestinationNS, DestinationName } = stored
      const destination = { DestinationNS, DestinationName, Meta: {}, CreateIndex: 0, ModifyIndex: 0 }
      await store.commit([putOf('intentions', stored, 0), putOf('intentionDestinations', destination, 0)])
      const upper = DestinationName.toUpperCase()
      const other = { ...stored, SourceName: stored.SourceName.toUpperCase(), DestinationName: upper }
      await refused(store, [putOf('intentions', other, 0)], 'changed')
      const its = { ...destination, DestinationName: upper }
      await refused(store, [putOf('intentionDestinations', its, 0)], 'changed')
      await store.commit([putOf('intentions', other)])
      expect(store.directory().intentions().toDestination('default', DestinationName)).toMatchObject([
        { SourceName: other.SourceName, DestinationName: upper },
      ])
    })

    test('the same id or name twice in one commit', async () => {
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
        [putOf('policies', policy, 0), putOf('policies', aPolicy({ Name: policy.Name.toUpperCase() }), 0)],
        'name_in_use',
      )
    })

    /** For each kind: a change that puts a record into a namespace, and one that deletes it. */
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
      for (const { put } of residents(`nowhere-${anId(1)}`)) {
        await refused(store, [put], 'changed')
        // Also together with another record, which may take a different write path.
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
      const record = aNamespace({ Name: await madeNamespace(store, `held-${anId(1)}`) })
      const deletion: Change = deleteOf('namespaces', record)
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
      for (let round = 0; round < fuzzCount(20); round += 1) {
        const record = aNamespace({ Name: await madeNamespace(store, `race-${round}-${anId(1)}`) })
        const deletion: Change = deleteOf('namespaces', record)
        const puts = residents(record.Name).map(({ put }) => [put])
        const all = [[deletion], ...puts]
        // Each kind of write is first, and last, in some round.
        const order = [...all.slice(round % all.length), ...all.slice(0, round % all.length)]
        const outcomes = await Promise.allSettled(order.map((changes) => store.commit(changes)))
        const isDeleted = outcomes[order.indexOf(all[0] ?? [])]?.status === 'fulfilled'
        expect(store.directory().namespace(record.Name) === undefined).toBe(isDeleted)
        const putCount = outcomes.filter(({ status }) => status === 'fulfilled').length - (isDeleted ? 1 : 0)
        expect(putCount).toBe(isDeleted ? 0 : puts.length)
      }
    })

    test('a binding rule of a missing auth method, and the delete of a method without its rules', async () => {
      const method = aMethod()
      const [first, second] = ['', '-'].map(() => aBindingRule({ AuthMethod: method.Name.toUpperCase() }))
      if (!first || !second) throw new TypeError('no rules')
      const rule = (op: 'put' | 'delete', record: typeof first): Change => ({
        table: 'bindingRules',
        op,
        record,
        expect: undefined,
      })
      const deletion: Change = deleteOf('authMethods', method)
      await refused(store, [rule('put', first)], 'changed')
      await store.commit([putOf('authMethods', method, 0)])
      await store.commit([rule('put', first), rule('put', second)])
      await refused(store, [deletion], 'changed')
      await refused(store, [rule('delete', first), deletion], 'changed')
      await store.commit([rule('delete', first), rule('delete', second), deletion])
      const directory = store.directory()
      expect([directory.bindingRule(first.ID), directory.authMethod('default', method.Name)]).toEqual([
        undefined,
        undefined,
      ])
    })

    test('a whole commit if its last change is refused', async () => {
      const taken = aToken()
      await store.commit([putNew(taken)])
      const [token, policy, key] = [aToken(), aPolicy(), aKey()]
      const before = await store.tableIndex('tokens')
      await refused(
        store,
        [putNew(token), putOf('policies', policy, 0), putOf('kv', key), putNew(taken)],
        'secret_in_use',
      )
      expect(await store.tokenBySecret(token.SecretID)).toBeUndefined()
      expect(store.directory().policy(policy.ID)).toBeUndefined()
      expect(await store.kvEntry('default', key.Key)).toBeUndefined()
      expect(await store.tableIndex('tokens')).toBe(before)
    })

    test('one of many concurrent writers, without affecting the others', async () => {
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
}

function swapCase(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
}
