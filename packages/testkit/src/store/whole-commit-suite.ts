/** The part of the store suite about commits that replace many records at once, as replication does. */

import type { PolicyRecord, RoleRecord, TokenRecord } from '@latchkey/acl'
import type { Change, Store } from '@latchkey/service'
import { describe, expect, test } from 'vitest'
import { deleteOf, putOf } from '../records/changes.ts'
import { aKey, aNamespace, aPolicy, aRole, aToken } from '../records/record-builders.ts'
import { putNew, refused } from './suite-tools.ts'

type Named = PolicyRecord | RoleRecord

const KINDS = [
  {
    table: 'policies',
    make: aPolicy,
    byId: (store: Store, id: string) => store.directory().policy(id),
    byName: (store: Store, name: string) => store.directory().policyByName('default', name),
  },
  {
    table: 'roles',
    make: aRole,
    byId: (store: Store, id: string) => store.directory().role(id),
    byName: (store: Store, name: string) => store.directory().roleByName('default', name),
  },
] as const

export function describeWholeCommits(open: () => Store | Promise<Store>): void {
  describe('one commit', () => {
    test.each(KINDS)('gives $table the names that it takes from others', async ({ table, make, ...find }) => {
      const store = await open()
      const records = Array.from({ length: 5 }, () => make())
      const names = records.map(({ Name }) => Name)
      const put = (record: Named, expect: number | undefined) => putOf(table, record, expect)
      const first = await store.commit(records.map((record) => put(record, 0)))
      const [a, b, c, d, e] = records
      if (!a || !b || !c || !d || !e) throw new TypeError('five records were made')
      const renamed = (record: Named, to: string) => put({ ...record, Name: to.toUpperCase() }, first)
      const swap = [
        // Two swap names, one passes its name to the next, and one is replaced by a new record.
        renamed(a, b.Name),
        renamed(b, a.Name),
        renamed(c, d.Name),
        renamed(d, `${d.Name}-new`),
        deleteOf(table, e, first),
        put(make({ Name: e.Name }), 0),
      ]
      // A name becomes free only if the same commit changes its record.
      await refused(store, [renamed(a, b.Name)], 'name_in_use')
      await refused(store, [...swap, put(make({ Name: c.Name }), 1)], 'changed')
      await refused(store, swap.with(1, put({ ...b, Name: a.Name }, first + 1)), 'changed')
      expect(records.map(({ ID }) => find.byId(store, ID)?.Name)).toEqual(names)
      const index = await store.commit(swap)
      const holders = names.map((name) => find.byName(store, name)?.ID)
      expect(holders).toEqual([b.ID, a.ID, undefined, c.ID, expect.any(String)])
      expect(holders[4]).not.toBe(e.ID)
      expect(find.byId(store, a.ID)).toMatchObject({ CreateIndex: first, ModifyIndex: index })
      expect(find.byId(store, e.ID)).toBeUndefined()
    })

    test('gives tokens the ids of those that it deletes', async () => {
      const store = await open()
      const old = Array.from({ length: 4 }, () => aToken())
      const first = await store.commit(old.map(putNew))
      const [a, b, c, d] = old
      if (!a || !b || !c || !d) throw new TypeError('four tokens were made')
      const deletes = old.map((record): Change => deleteOf('tokens', record, first))
      const made = [
        aToken({ SecretID: a.SecretID, Description: 'same secret' }),
        aToken({ AccessorID: b.AccessorID.toUpperCase(), Description: 'same accessor' }),
        aToken({ AccessorID: c.SecretID, SecretID: d.AccessorID, Description: 'crossed' }),
      ]
      const puts = made.map(putNew)
      const policy: Change = putOf('policies', aPolicy(), 0)
      // In any order, and with or without changes of other tables: the store chooses different statements.
      for (const others of [[], [policy]]) {
        await refused(store, [...deletes.slice(0, 1), ...puts, ...others], 'accessor_in_use')
        await refused(store, [...puts, ...deletes.slice(0, 2), ...others], 'accessor_in_use')
        const stale = deleteOf('tokens', d, first + 1)
        await refused(store, [...puts, ...others, ...deletes.with(3, stale)], 'changed')
      }
      for (const token of old) {
        expect(await store.tokenBySecret(token.SecretID)).toMatchObject({ ModifyIndex: first })
      }
      const index = await store.commit([...puts, ...deletes])
      expect(new Set(store.tokensChangedAfter(first))).toEqual(
        new Set([...old, ...made].map(({ AccessorID }) => AccessorID.toLowerCase())),
      )
      await checkReplaced(store, old, made, index)
      const again = old.map((token) => ({ ...token, Description: 'again' }))
      const later = await store.commit([
        ...made.map((record): Change => deleteOf('tokens', record, index)),
        ...again.map(putNew),
        policy,
      ])
      await checkReplaced(store, made, again, later)
    })

    test('creates a namespace with its records, and deletes it with all of them', async () => {
      const store = await open()
      const namespace = aNamespace()
      const Namespace = namespace.Name
      const records = (op: 'put' | 'delete', expect: number | undefined): readonly Change[] => [
        { table: 'tokens', op, record: token, expect },
        { table: 'policies', op, record: policy, expect },
        { table: 'roles', op, record: role, expect },
        { table: 'kv', op, record: key, expect },
      ]
      const [token, policy, role, key] = [
        aToken({ Namespace }),
        aPolicy({ Namespace }),
        aRole({ Namespace }),
        aKey({ Namespace }),
      ]
      await refused(store, records('put', 0), 'changed')
      const made: Change = putOf('namespaces', namespace, 0)
      const index = await store.commit([...records('put', 0), made])
      expect(store.directory().policy(policy.ID)).toMatchObject({ Namespace, ModifyIndex: index })
      expect(await store.tokenBySecret(token.SecretID)).toMatchObject({ Namespace, ModifyIndex: index })
      const end: Change = deleteOf('namespaces', namespace, index)
      const ends = records('delete', index)
      for (const missing of ends.keys()) await refused(store, [end, ...ends.toSpliced(missing, 1)], 'changed')
      const late: Change = putOf('kv', aKey({ Namespace }), 0)
      await refused(store, [end, ...ends, late], 'changed')
      expect(store.directory().namespace(Namespace)).toBeDefined()
      await store.commit([end, ...ends])
      expect(store.directory().namespace(Namespace)).toBeUndefined()
      expect(store.directory().role(role.ID)).toBeUndefined()
      expect(await store.tokenBySecret(token.SecretID)).toBeUndefined()
    })

    test('of thousands of records has one index, and is refused as a whole', async () => {
      const store = await open()
      const before = store.commitIndex()
      const tokens = Array.from({ length: 2_500 }, () => aToken())
      const policies = Array.from({ length: 450 }, () => aPolicy())
      const changes = (edit: string, expect: number): Change[] => [
        ...tokens.map((record) => token({ ...record, Description: edit }, expect)),
        ...policies.map((record): Change => {
          return putOf('policies', { ...record, Description: edit }, expect)
        }),
      ]
      const token = (record: TokenRecord, expect: number): Change => putOf('tokens', record, expect)
      const index = await store.commit(changes('first', 0))
      const edits = changes('second', index)
      await refused(store, [...edits, token(aToken(), index)], 'changed')
      const [first, last] = [tokens[0], tokens.at(-1)]
      for (const sample of [first, last]) {
        const found = await store.tokenBySecret(sample?.SecretID ?? '')
        expect(found).toMatchObject({ Description: 'first', CreateIndex: index, ModifyIndex: index })
      }
      const next = await store.commit(edits)
      expect([index, next]).toEqual([before + 1, before + 2])
      expect(store.directory().policy(policies.at(-1)?.ID ?? '')).toMatchObject({
        Description: 'second',
        CreateIndex: index,
        ModifyIndex: next,
      })
      const found = await Promise.all(tokens.map(({ AccessorID }) => store.tokenByAccessor(AccessorID)))
      expect(new Set(found.map((record) => record?.Description))).toEqual(new Set(['second']))
      expect(new Set(found.map((record) => record?.ModifyIndex))).toEqual(new Set([next]))
      const deletes = found.flatMap((record): Change[] => (record ? [deleteOf('tokens', record, next)] : []))
      await store.commit(deletes)
      expect(await store.tokenBySecret(first?.SecretID ?? '')).toBeUndefined()
      expect(await store.tokenByAccessor(last?.AccessorID ?? '')).toBeUndefined()
    })
  })
}

/** The new tokens exist, with their own index, and the old ones do not. */
async function checkReplaced(
  store: Store,
  old: readonly TokenRecord[],
  made: readonly TokenRecord[],
  index: number,
): Promise<void> {
  for (const token of made) {
    const stored = { ...token, CreateIndex: index, ModifyIndex: index }
    expect(await store.tokenBySecret(token.SecretID)).toEqual(stored)
    expect(await store.tokenByAccessor(token.AccessorID)).toEqual(stored)
  }
  const accessors = new Set(made.map(({ AccessorID }) => AccessorID.toLowerCase()))
  const secrets = new Set(made.map(({ SecretID }) => SecretID))
  for (const { AccessorID, SecretID } of old) {
    if (!accessors.has(AccessorID.toLowerCase())) {
      expect(await store.tokenByAccessor(AccessorID)).toBeUndefined()
    }
    if (!secrets.has(SecretID)) expect(await store.tokenBySecret(SecretID)).toBeUndefined()
  }
}
