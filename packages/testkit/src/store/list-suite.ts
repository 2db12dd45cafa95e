/** The part of the store suite about token lists. */

import { hasLegacyRights, type TokenRecord } from '@latchkey/acl'
import type { Change, Store, TokenFilter } from '@latchkey/service'
import { beforeEach, describe, expect, test } from 'vitest'
import { deleteOf, putOf } from '../records/changes.ts'
import { aMethod, anId, aToken } from '../records/record-builders.ts'
import { list, madeNamespace, putNew } from './suite-tools.ts'

export function describeLists(open: () => Store | Promise<Store>, keepsObjects: boolean): void {
  const sameObject = keepsObjects ? test : test.skip
  describe('lists tokens', () => {
    let store: Store
    beforeEach(async () => {
      store = await open()
    })

    test('in order of creation, by each filter, and in pages without gaps', async () => {
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
      // Several tokens at one index, so that the second sort key decides.
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

    test.each([1, 5, 16, 53])('newest first as well, in pages of %d without gaps (API-03)', async (limit) => {
      const Namespace = await madeNamespace(store, `newest-${limit}-${anId(3)}`)
      const made = Array.from({ length: 54 }, (_, i) => aToken({ Namespace, Local: i % 2 === 0 }))
      // Several tokens at one index, so that the second sort key decides.
      for (let i = 0; i < made.length; i += 6) await store.commit(made.slice(i, i + 6).map(putNew))
      for (const narrow of [{}, { local: true }]) {
        const filter = { namespace: Namespace, ...narrow }
        const paged = await listInPages(store, { ...filter, newestFirst: true }, limit)
        expect(secrets(paged)).toEqual(secrets(await list(store, filter)).toReversed())
      }
    })

    test('newest first across the pages that the store itself reads', async () => {
      const Namespace = await madeNamespace(store, `long-${anId(4)}`)
      const made = Array.from({ length: 1_050 }, () => aToken({ Namespace, AccessorID: '' }))
      await store.commit(made.map(putNew))
      const listed = secrets(await list(store, { namespace: Namespace, newestFirst: true }))
      expect(listed.toSorted()).toEqual(secrets(made).toSorted())
    })

    test.each([1, 7, 16])(
      'without an accessor, from one commit, in pages of %d without gaps, in both orders',
      async (limit) => {
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

    test('up to and including a position, in both orders', async () => {
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

    test('reports which tokens have changed, including deletions, or that this is unknown', async () => {
      const [first, second] = [aToken(), aToken({ AccessorID: 'ABCDEF00-0000-4000-8000-000000000002' })]
      const start = await store.commit([putNew(first)])
      const changed = (after: number) => store.tokensChangedAfter(after)?.toSorted()
      const keys = (...tokens: readonly TokenRecord[]) =>
        tokens.map(({ AccessorID }) => AccessorID.toLowerCase()).toSorted()
      expect(changed(start)).toEqual([])
      const created = await store.commit([putNew(second)])
      const updated = { ...first, Description: 'updated' }
      const expected = await store.commit([putOf('tokens', updated, start)])
      expect(changed(start)).toEqual(keys(first, second))
      expect(changed(created)).toEqual(keys(first))
      await store.commit([deleteOf('tokens', updated, expected)])
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
      const filter = { namespace: await madeNamespace(store, `gone-${anId(6)}`) }
      await store.commit(
        Array.from({ length: 9 }, () => putNew(aToken({ Namespace: filter.namespace, AccessorID: '' }))),
      )
      const all = await list(store, filter)
      const [record] = all.slice(3, 4)
      if (!record) throw new TypeError('the list is too short')
      const after = store.placeOf(record)
      await store.commit([deleteOf('tokens', record, record.ModifyIndex)])
      expect(secrets(await list(store, { ...filter, after }))).toEqual(secrets(all.slice(4)))
    })

    test('with only legacy rights: by rules or type, without links (spec 9.1)', async () => {
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
      const Namespace = await madeNamespace(store, `count-${anId(1)}`)
      const count = () => store.countTokens({ namespace: Namespace, withoutAccessor: true })
      expect(await count()).toBe(0)
      const tokens = [aToken({ Namespace, AccessorID: '' }), aToken({ Namespace, AccessorID: '' })]
      const index = await store.commit(tokens.map(putNew))
      expect([await count(), await count()]).toEqual([2, 2])
      const [first = aToken()] = tokens
      const record = { ...first, AccessorID: anId(0x5_0000), ModifyIndex: index }
      await store.commit([putOf('tokens', record, index)])
      expect(await count()).toBe(1)
    })

    sameObject('as the same objects that single reads give', async () => {
      const token = aToken({ Namespace: await madeNamespace(store, `same-${anId(2)}`) })
      await store.commit([putNew(token)])
      const [listed] = await list(store, { namespace: token.Namespace })
      expect(await store.tokenByAccessor(token.AccessorID)).toBe(listed)
    })

    test('that expired at or before the instant, oldest first, up to a limit', async () => {
      const at = (ms: number) => new Date(Date.UTC(2001, 0, 1) + ms).toISOString()
      const [third, first, second] = [
        aToken({ ExpirationTime: at(3) }),
        aToken({ ExpirationTime: at(1) }),
        aToken({ ExpirationTime: at(2) }),
      ]
      await store.commit([third, first, second, aToken()].map(putNew))
      const now = Date.UTC(2001, 0, 1)
      const expired = async (ms: number, limit: number) => secrets(await store.expiredTokens(now + ms, limit))
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

    test('that are orphans: their auth method is gone or was replaced under the same name', async () => {
      const method = aMethod({ Generation: 7_001 })
      const put = (record: typeof method): Change => putOf('authMethods', record)
      const made = { AuthMethod: method.Name, AuthMethodNamespace: 'default', AuthMethodGeneration: 7_001 }
      const token = aToken(made)
      const byHand = aToken({ AuthMethod: method.Name })
      await store.commit([put(method), putNew(token), putNew(byHand)])
      // Other store tests leave orphans behind.
      const own = [token.AccessorID, byHand.AccessorID]
      const orphans = async () =>
        (await store.orphanedTokens(1_000))
          .map(({ AccessorID }) => AccessorID)
          .filter((id) => own.includes(id))
      expect(await orphans()).toEqual([])
      await store.commit([deleteOf('authMethods', method)])
      expect(await orphans()).toEqual([token.AccessorID])
      await store.commit([put({ ...method, Generation: 7_002 })])
      expect(await orphans()).toEqual([token.AccessorID])
      expect(await store.orphanedTokens(1)).toHaveLength(1)
      const localOrphans = await store.orphanedTokens(1_000, { local: true })
      expect(localOrphans.map(({ SecretID }) => SecretID)).not.toContain(token.SecretID)
    })
  })
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
