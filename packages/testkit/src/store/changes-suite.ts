/** The part of the store suite about changes for other datacenters. */

import type { NamespaceRecord, PolicyRecord, RoleRecord, TokenRecord } from '@latchkey/acl'
import type { ReplicatedTable, Store, StoreChanges, Topic } from '@latchkey/service'
import { READER_KEPT_MS, REPLICATED_CHANGES_MAX, REPLICATED_TABLES } from '@latchkey/service'
import { beforeEach, describe, expect, test } from 'vitest'
import { SeededRandom } from '../random.ts'
import { deleteOf, putOf } from '../records/changes.ts'
import { aKey, aNamespace, anId, aPolicy, aRole, aToken } from '../records/record-builders.ts'

type ReplicatedRecord = NamespaceRecord | PolicyRecord | RoleRecord | TokenRecord
/** Records by table and key. */
type State = ReadonlyMap<string, ReplicatedRecord>

const SEEDS = 2
const COMMITS = 16
/** From how many earlier indexes a reader catches up after each commit. */
const READERS = 4
let runs = 0

export function describeChanges(open: () => Store | Promise<Store>): void {
  describe('changes that datacenters share', () => {
    let store: Store
    beforeEach(async () => {
      store = await open()
    })

    test('applied to the state at any earlier index, they produce the state at their own, without local tokens', async () => {
      for (let seed = 1; seed <= SEEDS; seed += 1) await followHistory(store, new SeededRandom(seed))
    })

    test('parts are whole commits in order; the first commit is sent whatever its size', async () => {
      const tokens = Array.from({ length: 4 }, () => aToken())
      const put = (record: TokenRecord) => putOf('tokens', record, 0)
      const [a, b, c, d] = tokens.map(put)
      if (!a || !b || !c || !d) return expect.fail()
      const start = store.commitIndex()
      const first = await store.commit([a, b])
      const second = await store.commit([c])
      await store.commit([putOf('kv', aKey(), 0)])
      const last = await store.commit([d])
      const part = async (after: number, recordsMax: number) => {
        const changes = await store.changesAfter(after, { recordsMax })
        return changes && [changes.index, changes.more, changes.tokens.length]
      }
      expect(await part(start, 1)).toEqual([first, true, 2])
      expect(await part(start, 2)).toEqual([first, true, 2])
      expect(await part(start, 3)).toEqual([last - 1, true, 3])
      expect(await part(start, 4)).toEqual([last, false, 4])
      expect(await part(first, 1)).toEqual([last - 1, true, 1])
      expect(await part(second, 1)).toEqual([last, false, 1])
    })

    test('parts are bounded in length, and a commit of too many records is not a part', async () => {
      const start = store.commitIndex()
      const long = (at: number) => aPolicy({ Rules: '#'.repeat(500_000), Name: `long-${runs}-${at}` })
      const putPolicy = (record: PolicyRecord) => putOf('policies', record, 0)
      for (let at = 0; at < 5; at += 1) await store.commit([putPolicy(long(at))])
      const part = await store.changesAfter(start, { recordsMax: REPLICATED_CHANGES_MAX })
      expect(part).toMatchObject({ index: start + 4, more: true })
      expect(part?.policies).toHaveLength(4)
      const tokens = Array.from({ length: REPLICATED_CHANGES_MAX + 1 }, () => aToken())
      const before = store.commitIndex()
      await store.commit(tokens.map((record) => putOf('tokens', record, 0)))
      expect(await store.changesAfter(before, { recordsMax: REPLICATED_CHANGES_MAX })).toBeUndefined()
    })

    test('an accessor that moves from a global to a local token is a deletion, and a token when it moves back', async () => {
      const global = aToken()
      const local = { ...aToken(), AccessorID: global.AccessorID, Local: true }
      const start = await store.commit([putOf('tokens', global, 0)])
      await store.commit([deleteOf('tokens', global)])
      const moved = await store.commit([putOf('tokens', local, 0)])
      const key = global.AccessorID.toLowerCase()
      expect(await store.changesAfter(start)).toMatchObject({ tokens: [], deleted: { tokens: [key] } })
      const updated = { ...local, Description: 'x' }
      await store.commit([putOf('tokens', updated)])
      expect(await store.changesAfter(moved)).toMatchObject({ tokens: [], deleted: { tokens: [] } })
      await store.commit([deleteOf('tokens', local)])
      await store.commit([putOf('tokens', global, 0)])
      expect(await store.changesAfter(moved)).toMatchObject({
        tokens: [shown(global)],
        deleted: { tokens: [] },
      })
    })

    test('a future index has no changes; the last index has an empty part', async () => {
      const index = await store.commit([putOf('kv', aKey(), 0)])
      expect(store.commitIndex()).toBe(index)
      expect(await store.changesAfter(index + 1)).toBeUndefined()
      const deleted = { namespaces: [], policies: [], roles: [], tokens: [] }
      const nothing = { index, more: false, ...deleted, deleted, leftOut: 0 }
      expect(await store.changesAfter(index)).toEqual(nothing)
      expect(await store.changesAfter(index, { recordsMax: 1 })).toEqual(nothing)
    })

    test('readers are kept with their index and last contact, until a day after that contact', async () => {
      const now = Date.parse('2030-01-02T03:04:05Z')
      const kept = async (at: number) => {
        const readers = await store.changeReaders.list(at)
        return readers.map(({ name, index, contactAt }) => [name, index, contactAt])
      }
      store.changeReaders.note({ name: 'dc2', index: undefined, now })
      store.changeReaders.note({ name: 'dc3', index: 7, now })
      await expect.poll(() => kept(now), { timeout: 20_000 }).toEqual([['dc3', 7, now]])
      store.changeReaders.note({ name: 'dc3', index: undefined, now: now + 1 })
      store.changeReaders.note({ name: 'dc2', index: 5, now: now + 2 })
      const both = [
        ['dc2', 5, now + 2],
        ['dc3', 7, now + 1],
      ]
      await expect.poll(() => kept(now + 2), { timeout: 20_000 }).toEqual(both)
      expect(await kept(now + 1 + READER_KEPT_MS)).toEqual(both.slice(0, 1))
      expect(await kept(now + 2 + READER_KEPT_MS)).toEqual([])
    })

    test('a waiter wakes for each shared table, and for no other', async () => {
      const changes = [
        putOf('policies', aPolicy(), 0),
        putOf('roles', aRole(), 0),
        putOf('tokens', aToken(), 0),
        putOf('namespaces', aNamespace({ Name: `changes-${anId(1)}` }), 0),
      ] as const
      const topic: Topic = 'changes'
      for (const change of changes) {
        const before = store.tableIndex(topic)
        const waiting = store.wait(topic, before, 60_000)
        await store.commit([putOf('kv', aKey(), 0)])
        expect(store.tableIndex(topic)).toBe(before)
        const index = await store.commit([change])
        expect(await waiting, change.table).toBe('changed')
        expect(store.tableIndex(topic)).toBe(index)
        // Changes from before the wait do not end it.
        expect(await store.wait(topic, before, 1), change.table).toBe('changed')
        expect(await store.wait(topic, index, 1), change.table).toBe('timeout')
      }
    })
  })
}

const shown = ({ AccessorID, SecretID }: TokenRecord) => ({ AccessorID, SecretID, Local: false })

/** Commits at random, and after each commit catches up from earlier indexes. */
async function followHistory(store: Store, random: SeededRandom): Promise<void> {
  runs += 1
  const ids = Array.from({ length: 3 }, (_, i) => anId(0x900_0000 + runs * 16 + i))
  const history: { readonly index: number; readonly state: State }[] = [
    { index: store.commitIndex(), state: new Map() },
  ]
  const straggler = { index: store.commitIndex(), state: new Map() as State }
  for (let i = 0; i < COMMITS; i += 1) {
    const table = REPLICATED_TABLES[random.below(REPLICATED_TABLES.length)] ?? 'tokens'
    const id = ids[random.below(ids.length)] ?? ''
    const existing = (await readOwn(store, [id], true)).get(`${table}/${id}`)
    const op = existing && random.below(2) === 0 ? 'delete' : 'put'
    await store.commit([{ ...randomRecord(table, { id, existing, random }), op, expect: undefined }])
    const state = await readOwn(store, ids, false)
    const index = store.commitIndex()
    history.push({ index, state })
    for (const before of random.shuffled(history).slice(0, READERS)) {
      const changes = await store.changesAfter(before.index)
      if (!changes) return expect.fail(`no changes after ${before.index} of ${index}`)
      expect(changes.index).toBe(index)
      expect(applied(before.state, changes)).toEqual(state)
    }
    if (random.below(2) === 0) await takeOnePart(store, straggler, random)
  }
  while (await takeOnePart(store, straggler, random));
  expect(straggler).toEqual(history.at(-1))
}

/** Until its last part, a reader's state need not be one that ever existed. @returns whether there are more parts. */
async function takeOnePart(
  store: Store,
  reader: { index: number; state: State },
  random: SeededRandom,
): Promise<boolean> {
  const part = await store.changesAfter(reader.index, { recordsMax: 1 + random.below(3) })
  if (!part) return expect.fail(`no part after ${reader.index}`)
  if (part.more) expect(part.index).toBeGreaterThan(reader.index)
  reader.index = part.index
  reader.state = applied(reader.state, part)
  return part.more
}

interface Drawing {
  readonly id: string
  readonly existing: ReplicatedRecord | undefined
  readonly random: SeededRandom
}

/** A token is local or global for good; a new token with the same accessor may differ. */
function randomRecord(table: ReplicatedTable, { id, existing, random }: Drawing) {
  const Description = String(random.below(1_000))
  switch (table) {
    case 'namespaces':
      return { table, record: aNamespace({ Name: id, Description }) }
    case 'policies':
      return { table, record: aPolicy({ ID: id, Name: `policy-${id}`, Description }) }
    case 'roles':
      return { table, record: aRole({ ID: id, Name: `role-${id}`, Description }) }
    case 'tokens': {
      const record = aToken({ AccessorID: id, SecretID: id.replace('1000', '2000'), Description })
      const Local = existing && 'Local' in existing ? existing.Local : random.below(3) === 0
      return { table, record: { ...record, Local } }
    }
  }
}

async function readOwn(store: Store, ids: readonly string[], withLocal: boolean): Promise<State> {
  const state = new Map<string, ReplicatedRecord>()
  const directory = store.directory()
  for (const id of ids) {
    const token = await store.tokenByAccessor(id)
    const found: Record<ReplicatedTable, ReplicatedRecord | undefined> = {
      namespaces: directory.namespace(id),
      policies: directory.policy(id),
      roles: directory.role(id),
      tokens: withLocal || token?.Local !== true ? token : undefined,
    }
    for (const table of REPLICATED_TABLES) {
      const record = found[table]
      if (record) state.set(`${table}/${id}`, record)
    }
  }
  return state
}

function applied(before: State, changes: StoreChanges): State {
  const state = new Map(before)
  for (const table of REPLICATED_TABLES) {
    for (const key of changes.deleted[table]) state.delete(`${table}/${key}`)
  }
  for (const record of changes.namespaces) state.set(`namespaces/${record.Name}`, record)
  for (const record of changes.policies) state.set(`policies/${record.ID}`, record)
  for (const record of changes.roles) state.set(`roles/${record.ID}`, record)
  for (const record of changes.tokens) state.set(`tokens/${record.AccessorID.toLowerCase()}`, record)
  return state
}
