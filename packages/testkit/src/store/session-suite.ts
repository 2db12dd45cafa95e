/** The part of the store suite about sessions and the keys that they lock. */

import type { KvRecord } from '@latchkey/acl'
import type { SessionRecord } from '@latchkey/catalog'
import { type Change, type KvRange, kvTopic, type Store, StoreConflict } from '@latchkey/service'
import { describe, expect, test } from 'vitest'
import { aCheck, aNode, aService, aSession } from '../records/catalog-builders.ts'
import { deleteOf, putOf } from '../records/changes.ts'
import { aKey, anId } from '../records/record-builders.ts'

/** A wait that ends before this is a failure; long, because the machine may stall for seconds. */
const LONG_MS = 60_000
const MINUTE_NS = 60_000_000_000
/** More keys than PostgreSQL releases in one statement. */
const MANY_KEYS = 1_001
let names = 0

export function describeSessions(open: () => Store | Promise<Store>): void {
  describe('sessions', () => {
    test('a session is stored only if its node and its checks exist and no check is critical', async () => {
      const { store, Node } = await opened(open)
      const session = (fields: Partial<SessionRecord>) => putNew(aSessionOf(Node, fields))
      await store.commit([
        putOf('services', aService({ Node, ID: 'web' })),
        putOf('checks', aCheck({ Node, CheckID: 'ok', ServiceID: '', Status: 'warning' })),
        putOf('checks', aCheck({ Node, CheckID: 'bad', ServiceID: '', Status: 'critical' })),
        putOf('checks', aCheck({ Node, CheckID: 'of-web', ServiceID: 'web' })),
      ])
      const refused: readonly Partial<SessionRecord>[] = [
        { Node: `${Node}-unknown` },
        { NodeChecks: ['unknown'] },
        { Checks: ['bad'] },
        { NodeChecks: ['ok'], ServiceChecks: [{ ID: 'unknown', Namespace: '' }] },
      ]
      for (const fields of refused) {
        await expect(store.commit([session(fields)]), JSON.stringify(fields)).rejects.toThrow(StoreConflict)
      }
      const ID = aSessionId()
      const fields = { ID, Node: Node.toUpperCase(), NodeChecks: ['OK'] }
      const index = await store.commit([
        session({ ...fields, ServiceChecks: [{ ID: 'of-web', Namespace: '' }], Checks: ['ok'] }),
      ])
      expect(store.tableIndex('sessions')).toBe(index)
      expect(store.catalog().sessions.get(ID.toUpperCase())).toEqual({
        ...aSessionOf(Node, { ...fields, ServiceChecks: [{ ID: 'of-web', Namespace: '' }], Checks: ['ok'] }),
        CreateIndex: index,
        ModifyIndex: index,
      })
      expect(
        store
          .catalog()
          .sessions.on(Node)
          .map((one) => one.ID),
      ).toEqual([ID])
    })

    test('a session that ends releases its keys in the same commit, and moves no catalog index', async () => {
      const { store, Node } = await opened(open)
      const session = await aStored(store, aSessionOf(Node))
      const held = await locked(store, session)
      const other = await locked(store, await aStored(store, aSessionOf(Node)))
      const catalogIndex = store.tableIndex('catalog')
      const woken = store.wait(kvTopic('default', held.Key), store.commitIndex(), LONG_MS)
      const index = await store.commit([deleteOf('sessions', session)])
      expect(await woken).toBe('changed')
      const { Session: _, ...free } = held
      expect(await entryOf(store, held.Key)).toEqual({ ...free, Value: '', ModifyIndex: index })
      expect(await entryOf(store, other.Key)).toEqual({ ...other, Value: '' })
      expect(store.tableIndex('kv')).toBe(index)
      expect(store.tableIndex('catalog')).toBe(catalogIndex)
      expect(store.catalog().sessions.get(session.ID)).toBeUndefined()
    })

    test('a session with more keys than one statement releases ends in one commit', async () => {
      const { store, Node } = await opened(open)
      const session = await aStored(store, aSessionOf(Node, { LockDelay: MINUTE_NS }))
      const prefix = `${aName()}/`
      const keys = Array.from({ length: MANY_KEYS }, (_, i) => `${prefix}${i}`)
      await store.commit(keys.map((Key) => putKey({ Key, LockIndex: 1, Session: session.ID }, 0)))
      const index = await store.commit([deleteOf('sessions', session)])
      const freed: string[] = []
      for await (const page of store.kvEntries({ namespace: 'default', prefix }))
        for (const { Key, Session, ModifyIndex } of page)
          if (Session === undefined && ModifyIndex === index) freed.push(Key)
      expect(freed.toSorted()).toEqual(keys.toSorted())
      expect(store.catalog().sessions.get(session.ID)).toBeUndefined()
      for (const Key of [keys[0], keys.at(-1)])
        expect(await store.sessionTimes.isDelayed('default', Key ?? '')).toBe(true)
    })

    test('a session with behaviour delete deletes its keys when it ends', async () => {
      const { store, Node } = await opened(open)
      const session = await aStored(store, aSessionOf(Node, { Behavior: 'delete' }))
      const { Key } = await locked(store, session)
      await store.commit([deleteOf('sessions', session)])
      expect(await store.kvEntry('default', Key)).toBeUndefined()
    })

    test.each([
      ['a check of it turns critical', (Node: string) => [putCheck(Node, 'critical')], true],
      ['a check of it turns to a warning', (Node: string) => [putCheck(Node, 'warning')], false],
      ['a check of it goes', (Node: string) => [deleteOf('checks', checkOf(Node))], true],
      [
        'its node goes',
        (Node: string) => [deleteOf('checks', checkOf(Node)), deleteOf('nodes', aNode({ Node }))],
        true,
      ],
    ] as const)('a commit in which %s', async (_, changes, ends) => {
      const { store, Node } = await opened(open)
      await store.commit([putCheck(Node, 'passing')])
      const session = await aStored(store, aSessionOf(Node, { NodeChecks: ['c'] }))
      const { Key } = await locked(store, session)
      const index = await store.commit(changes(Node))
      expect(store.catalog().sessions.get(session.ID) === undefined, 'ends the session').toBe(ends)
      const entry = await store.kvEntry('default', Key)
      expect(entry?.Session).toBe(ends ? undefined : session.ID)
      if (ends) expect([entry?.ModifyIndex, store.tableIndex('sessions')]).toEqual([index, index])
    })

    test('keys are listed by the session that locks them, in order and within a range', async () => {
      const { store, Node } = await opened(open)
      const session = await aStored(store, aSessionOf(Node))
      const held = [await locked(store, session), await locked(store, session)]
      const other = await locked(store, await aStored(store, aSessionOf(Node)))
      const keys = held.map(({ Key }) => Key).toSorted()
      const range = { namespace: 'default', prefix: '', session: session.ID }
      const found = async (more: Partial<KvRange>) => {
        const names: string[] = []
        for await (const page of store.kvKeys({ ...range, ...more }))
          names.push(...page.map(({ Key }) => Key))
        return names
      }
      expect(await found({})).toEqual(keys)
      expect(await found({ after: keys[0] ?? '' })).toEqual(keys.slice(1))
      expect(await found({ prefix: other.Key })).toEqual([])
      for await (const page of store.kvEntries(range))
        expect(page.map(({ Session }) => Session)).toEqual([session.ID, session.ID])
      await store.commit([deleteOf('sessions', session)])
      expect(await found({})).toEqual([])
    })

    test('only an existing session can lock a key, and only one of several concurrent ones', async () => {
      const { store, Node } = await opened(open)
      const sessions = await Promise.all([1, 2, 3].map(() => aStored(store, aSessionOf(Node))))
      const Key = aName()
      const lock = (Session: string) => putKey({ Key, LockIndex: 1, Session }, 0)
      await expect(store.commit([lock(aSessionId())])).rejects.toThrow(StoreConflict)
      const outcomes = await Promise.allSettled(sessions.map(({ ID }) => store.commit([lock(ID)])))
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    })

    test('an unconditional write keeps the lock of a key, a conditional one sets it', async () => {
      const { store, Node } = await opened(open)
      const session = await aStored(store, aSessionOf(Node))
      const held = await locked(store, session)
      const { Session: _, ...free } = held
      await store.commit([putKey({ ...free, LockIndex: 0, Value: Buffer.from('new') }, undefined)])
      const written = await store.kvEntry('default', held.Key)
      expect(written).toMatchObject({ Session: session.ID, LockIndex: 1, Value: Buffer.from('new') })
      await store.commit([putKey({ ...free, LockIndex: 1 }, written?.ModifyIndex)])
      const released = await store.kvEntry('default', held.Key)
      expect(released?.Session).toBeUndefined()
      await store.commit([putKey({ Key: held.Key, Session: session.ID, LockIndex: 9 }, undefined)])
      expect(await store.kvEntry('default', held.Key)).toMatchObject({ LockIndex: 1 })
      expect((await store.kvEntry('default', held.Key))?.Session).toBeUndefined()
      for await (const page of store.kvEntries({ namespace: 'default', prefix: held.Key })) {
        expect(page.map(({ LockIndex }) => LockIndex)).toEqual([1])
      }
    })

    test('after a session ends, its lock delay blocks only locks of its keys, even deleted ones', async () => {
      const { store, Node } = await opened(open)
      for (const Behavior of ['release', 'delete'] as const) {
        const ended = await aStored(store, aSessionOf(Node, { Behavior, LockDelay: MINUTE_NS }))
        const { Key } = await locked(store, ended)
        expect(await store.sessionTimes.isDelayed('default', Key)).toBe(false)
        await store.commit([deleteOf('sessions', ended)])
        expect(await store.sessionTimes.isDelayed('default', Key)).toBe(true)
        const next = await aStored(store, aSessionOf(Node))
        const expected = (await store.kvEntry('default', Key))?.ModifyIndex ?? 0
        const lock = putKey({ Key, Session: next.ID, LockIndex: 2 }, expected)
        await expect(store.commit([lock]), Behavior).rejects.toThrow(StoreConflict)
        await store.commit([putKey({ Key }, expected)])
      }
    })

    test('a lock delay ends by the clock of the store', async () => {
      const { store, Node } = await opened(open)
      const ended = await aStored(store, aSessionOf(Node, { LockDelay: 20_000_000 }))
      const { Key } = await locked(store, ended)
      await store.commit([deleteOf('sessions', ended)])
      // Before the store prunes ended delays, once a minute.
      await expect.poll(() => store.sessionTimes.isDelayed('default', Key), { timeout: 20_000 }).toBe(false)
    })

    test('a session expires after twice its TTL without renewal, and is then removed as expired', async () => {
      const { store, Node } = await opened(open)
      const [short, long, endless] = await Promise.all(
        ['10ms', '24h', ''].map((TTL) => aStored(store, aSessionOf(Node, { TTL }))),
      )
      if (!short || !long || !endless) throw new TypeError('three sessions')
      const isExpired = async ({ ID }: SessionRecord) =>
        (await store.sessionTimes.expired(1_000)).includes(ID)
      await expect.poll(() => isExpired(short), { timeout: LONG_MS }).toBe(true)
      expect([await isExpired(long), await isExpired(endless)]).toEqual([false, false])
      const expire = (record: SessionRecord): Change =>
        ({ ...deleteOf('sessions', record), ifExpired: true }) as Change
      await expect(store.commit([expire(long)])).rejects.toThrow(StoreConflict)
      await expect(store.commit([expire(short), expire(endless)])).rejects.toThrow(StoreConflict)
      await store.commit([expire(short)])
      expect(store.catalog().sessions.get(short.ID)).toBeUndefined()
      expect(await store.sessionTimes.renew(short.ID)).toBe(false)
      expect(await store.sessionTimes.renew(endless.ID)).toBe(true)
    })
  })
}

async function opened(open: () => Store | Promise<Store>): Promise<{ store: Store; Node: string }> {
  const store = await open()
  const Node = aName()
  await store.commit([putOf('nodes', aNode({ Node }))])
  return { store, Node }
}

function aName(): string {
  names += 1
  return `session-suite-${names}`
}

function aSessionId(): string {
  names += 1
  return anId(0x5e55_0000 + names)
}

function aSessionOf(Node: string, fields: Partial<SessionRecord> = {}): SessionRecord {
  return aSession({ ID: aSessionId(), Node, ...fields })
}

async function aStored(store: Store, session: SessionRecord): Promise<SessionRecord> {
  const index = await store.commit([putNew(session)])
  return { ...session, CreateIndex: index, ModifyIndex: index }
}

/** A stored key that a session locks. */
async function locked(store: Store, { ID }: SessionRecord): Promise<KvRecord> {
  const Key = aName()
  const index = await store.commit([putKey({ Key, LockIndex: 1, Session: ID }, 0)])
  return aKey({ Key, LockIndex: 1, Session: ID, CreateIndex: index, ModifyIndex: index })
}

/** An entry, with its value as text. */
async function entryOf(store: Store, key: string) {
  const entry = await store.kvEntry('default', key)
  return entry && { ...entry, Value: Buffer.from(entry.Value).toString() }
}

function putKey(fields: Partial<KvRecord>, expected: number | undefined): Change {
  return putOf('kv', aKey(fields), expected)
}

function putNew(record: SessionRecord): Change {
  return putOf('sessions', record, 0)
}

function checkOf(Node: string, Status = 'passing') {
  return aCheck({ Node, CheckID: 'c', ServiceID: '', Status })
}

function putCheck(Node: string, Status: string): Change {
  return putOf('checks', checkOf(Node, Status))
}
