/** The part of the store suite about logins. */

import type { AuthMethodRecord, TokenRecord } from '@latchkey/acl'
import { type Change, type ConflictReason, type Store, StoreConflict } from '@latchkey/service'
import { describe, expect, test } from 'vitest'
import { putOf } from '../records/changes.ts'
import { aLoginState, aMethod, aToken } from '../records/record-builders.ts'
import { list, putNew } from './suite-tools.ts'

export function describeLogins(open: () => Store | Promise<Store>): void {
  describe('limits of logins', () => {
    const now = Date.parse('2026-01-31T12:00:00Z')
    const minute = 60_000
    const at = (ms: number) => new Date(now + ms).toISOString()

    /** A method, and tokens for it that are not stored yet. */
    async function aLimitedMethod(store: Store, Generation: number, fields: Partial<AuthMethodRecord>) {
      const method = aMethod({ Generation, ...fields })
      const write = (more: Partial<AuthMethodRecord>) =>
        store.commit([putOf('authMethods', { ...method, ...more } as AuthMethodRecord)])
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

    test('a method never exceeds its bound of tokens, whatever is committed concurrently', async () => {
      const store = await open()
      const { made, write } = await aLimitedMethod(store, 7_101, { MaxLiveTokens: 5 })
      const free = await aLimitedMethod(store, 7_102, {})
      const outcomes = await Promise.all([
        ...Array.from({ length: 9 }, () => outcomeOf(store.commit([putNew(made())]))),
        ...Array.from({ length: 9 }, () => outcomeOf(store.commit([putNew(free.made()), putNew(aToken())]))),
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
      const update: Change = putOf('tokens', record, record.ModifyIndex)
      expect(await outcomeOf(store.commit([update]))).toBe('committed')
      expect(await outcomeOf(store.commit([putNew(made())]))).toBe('method_full')
    })

    test('are counted per identity, in pages, without expired tokens', async () => {
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

    test('a token stays in use until its idle time and a tenth have passed since its last use', async () => {
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

  describe('browser logins', () => {
    const now = Date.parse('2026-01-31T12:00:00Z')
    const few = { openMax: 2, now }

    test('are stored unchanged, including secrets and texts, until they are taken', async () => {
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

    test('ATT-45: of 50 concurrent calls, one takes the login', async () => {
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

    test('are bounded per method even if many begin at once', async () => {
      const { loginStates } = await open()
      const begin = (generation: number) =>
        Array.from({ length: 20 }, () => loginStates.put(aLoginState({ generation }), { openMax: 7, now }))
      const [some, others] = await Promise.all(
        [8_005, 8_006].map((generation) => Promise.all(begin(generation))),
      )
      for (const kept of [some, others]) expect(kept?.filter((isKept) => isKept)).toHaveLength(7)
    })

    test('are removed if they expired at or before the instant', async () => {
      const { loginStates } = await open()
      const old = now - 10_000_000
      await loginStates.reap(old)
      const states = [old - 1, old, old + 1].map((expiresAt) => aLoginState({ generation: 8_004, expiresAt }))
      for (const state of states) await loginStates.put(state, { openMax: 9, now: old - 2 })
      expect(await loginStates.reap(old)).toBe(2)
      const left = await Promise.all(states.map(({ stateHash }) => loginStates.take(stateHash)))
      expect(left).toEqual([undefined, undefined, states[2]])
    })
  })
}

/** `committed`, or the reason for the refusal. */
async function outcomeOf(commit: Promise<number>): Promise<'committed' | ConflictReason> {
  try {
    await commit
    return 'committed'
  } catch (error) {
    if (error instanceof StoreConflict) return error.reason
    throw error
  }
}
