import type { KvRecord } from '@latchkey/acl'
import type { Operation as OperationBody } from '@latchkey/contract'
import { aCheck, aNode, aService, aSession } from '@latchkey/testkit/records/catalog-builders'
import { aKey } from '@latchkey/testkit/records/record-builders'
import { describe, expect, test } from 'vitest'
import { Catalog } from '../catalog.ts'
import { checkKey } from '../records/catalog-records.ts'
import { isRead, readOperation } from './operations.ts'
import { type May, PENDING_INDEX } from './outcome.ts'
import { planTransaction } from './plan.ts'

const ALL: May = () => true
const none: May = () => false

/** The stored state: keys, and one node with a service and a check. */
function stored(keys: readonly KvRecord[] = []) {
  const catalog = new Catalog()
  catalog.put('nodes', aNode({ Node: 'n', ID: '', ModifyIndex: 5, CreateIndex: 5 }))
  catalog.put('services', aService({ Node: 'n', ID: 's', Service: 'web', ModifyIndex: 6, CreateIndex: 6 }))
  catalog.put('checks', aCheck({ Node: 'n', CheckID: 'c', ServiceID: 's', ModifyIndex: 7, CreateIndex: 7 }))
  return {
    catalog,
    keys: {
      entry: (_: string, key: string) => keys.find(({ Key }) => Key === key),
      tree: (_: string, prefix: string) => keys.filter(({ Key }) => Key.startsWith(prefix)),
      isDelayed: (_: string, key: string) => key === 'delayed',
      compare: (a: string, b: string) => (a < b ? -1 : 1),
    },
  }
}

function plan(bodies: readonly OperationBody[], state = stored(), may: May = ALL) {
  const options = { datacenter: 'dc1', namespaceOf: (field: string | undefined) => field ?? 'default' }
  return planTransaction(
    bodies.map((body) => readOperation(body, options)),
    state,
    may,
  )
}

const key = (Verb: string, Key: string, more: object = {}): OperationBody => ({ KV: { Verb, Key, ...more } })
const keyA = aKey({ Key: 'a', Value: new Uint8Array([1]), CreateIndex: 3, ModifyIndex: 4, LockIndex: 2 })

describe('keys', () => {
  test('one change of each key, whatever operations there are on it', () => {
    const { changes, failed } = plan([
      key('set', 'b', { Value: 'MQ==' }),
      key('set', 'b', { Value: 'Mg==', Flags: 9n }),
      key('set', 'c'),
      key('delete', 'c'),
      key('delete', 'gone'),
    ])
    expect(failed).toEqual([])
    const record = { Key: 'b', Value: new Uint8Array([50]), Flags: 9n, CreateIndex: 0, ModifyIndex: 0 }
    expect(changes).toEqual([{ table: 'kv', op: 'put', record: expect.objectContaining(record), expect: 0 }])
  })

  test('a key that is written keeps its CreateIndex, and its LockIndex unless it was deleted before', () => {
    const { shown } = plan([key('set', 'a'), key('delete', 'a'), key('set', 'a')], stored([keyA]))
    expect(shown.map(({ record }) => record)).toMatchObject([
      { CreateIndex: 3, ModifyIndex: PENDING_INDEX, LockIndex: 2 },
      { CreateIndex: 3, ModifyIndex: PENDING_INDEX, LockIndex: 0 },
    ])
  })

  test('a deleted tree takes what was written below it, and not what is written later', () => {
    const { changes, shown, failed } = plan(
      [
        key('set', 'a/1'),
        key('delete-tree', 'a'),
        key('check-not-exists', 'a'),
        key('set', 'a/2'),
        key('get-tree', 'a'),
        key('get-tree', 'b'),
      ],
      stored([keyA, aKey({ Key: 'b', ModifyIndex: 2 })]),
    )
    expect(failed).toEqual([])
    expect(changes).toMatchObject([
      { op: 'delete-tree', prefix: 'a', namespace: 'default' },
      { op: 'put', record: { Key: 'a/2', CreateIndex: 0 } },
    ])
    expect(shown.slice(2).map(({ record }) => 'Key' in record && record.Key)).toEqual(['a/2', 'b'])
  })

  test('a tree shows its keys in order, wherever the transaction wrote some', () => {
    const keys = [aKey({ Key: 'a/1', ModifyIndex: 1 }), aKey({ Key: 'a/4', ModifyIndex: 1 })]
    const { shown } = plan([key('set', 'a/2'), key('set', 'a/1'), key('get-tree', 'a/')], stored(keys))
    const names = shown.slice(2).map(({ record }) => 'Key' in record && record.Key)
    expect(names).toEqual(['a/1', 'a/2', 'a/4'])
  })

  test('a deleted tree takes nothing below its prefix in another namespace', () => {
    const inTeam = { Namespace: 'team' }
    const { changes, shown } = plan([
      key('set', 'a/1', inTeam),
      key('delete-tree', 'a'),
      key('get-tree', 'a', inTeam),
      key('get-tree', 'a'),
    ])
    expect(changes).toMatchObject([
      { op: 'delete-tree', namespace: 'default' },
      { op: 'put', record: { Key: 'a/1', Namespace: 'team' } },
    ])
    expect(shown).toHaveLength(2)
  })

  test('a plan depends on every key that it looked at, and on the trees that it shows', () => {
    const { expects } = plan(
      [key('check-index', 'a', { Index: 4 }), key('check-not-exists', 'x'), key('get-tree', 'a')],
      stored([keyA]),
    )
    expect(expects).toEqual([
      { table: 'kv', namespace: 'default', key: 'a', modifyIndex: 4 },
      { table: 'kv', namespace: 'default', key: 'x', modifyIndex: 0 },
      { table: 'kv', namespace: 'default', prefix: 'a', count: 1, modifyIndex: 4 },
    ])
  })
})

describe('locks', () => {
  const A = 'aaaaaaaa-0000-4000-8000-000000000001'
  const B = 'bbbbbbbb-0000-4000-8000-000000000002'
  const withSessions = (keys: readonly KvRecord[]) => {
    const state = stored(keys)
    state.catalog.put('sessions', aSession({ ID: A, Node: 'n', NodeChecks: [] }))
    state.catalog.put('sessions', aSession({ ID: B, Node: 'other', NodeChecks: [] }))
    return state
  }
  const held = { ...keyA, Session: A }

  test('a lock names the session and counts; an unlock keeps the count; other writes keep the lock', () => {
    const { shown, failed, changes } = plan(
      [
        key('lock', 'x', { Session: A.toUpperCase(), Value: 'MQ==' }),
        key('set', 'x', { Value: 'Mg==' }),
        key('check-session', 'x', { Session: A }),
        key('unlock', 'x', { Session: A }),
        key('lock', 'x', { Session: B }),
      ],
      withSessions([]),
    )
    expect(failed).toEqual([])
    expect(shown.map(({ record }) => 'Key' in record && [record.LockIndex, record.Session ?? ''])).toEqual([
      [1, A],
      [1, A],
      [1, A],
      [1, ''],
      [2, B],
    ])
    expect(changes).toMatchObject([{ op: 'put', record: { Key: 'x', Session: B, LockIndex: 2 }, expect: 0 }])
  })

  test.each([
    [key('lock', 'delayed', { Session: A }), 'failed to lock key "delayed" due to lock delay'],
    [
      key('unlock', 'x', { Session: A }),
      'failed to unlock key "x", lock isn\'t held, or is held by another session',
    ],
    [key('check-session', 'x', { Session: A }), 'failed to check session, key "x" doesn\'t exist'],
  ])('%j fails', (operation, what) => {
    expect(plan([operation], withSessions([held])).failed).toEqual([{ place: 0, what }])
  })

  test('a session that an earlier operation ends locks nothing, and its key is free', () => {
    const end: OperationBody = { Node: { Verb: 'delete', Node: { Node: 'n' } } }
    const later = plan([end, key('lock', 'x', { Session: A })], withSessions([held]))
    expect(later.failed).toEqual([{ place: 1, what: `invalid session "${A}"` }])
    const { shown, failed } = plan(
      [end, key('get', 'a'), key('lock', 'a', { Session: B })],
      withSessions([held]),
    )
    expect(failed).toEqual([])
    expect(shown).toMatchObject([{ record: { ModifyIndex: PENDING_INDEX } }, { record: { Session: B } }])
    expect(shown[0]?.record).not.toHaveProperty('Session')
  })
})

describe('nodes, services and checks', () => {
  test('what is the same as before is no change, and shows its index', () => {
    const { Port } = stored().catalog.service('n', 's') ?? { Port: 0 }
    const Service = { ID: 's', Service: 'web', Port }
    const { changes, refused, shown } = plan([{ Service: { Verb: 'set', Node: 'n', Service } }])
    expect([changes, refused]).toEqual([[], []])
    expect(shown).toMatchObject([{ kind: 'service', record: { ModifyIndex: 6 } }])
  })

  test('a deleted service takes its checks, and a deleted node all that is on it', () => {
    const service = plan([{ Service: { Verb: 'delete', Node: 'n', Service: { ID: 's', Service: 'web' } } }])
    expect(service.changes.map(({ table, op }) => [table, op])).toEqual([
      ['checks', 'delete'],
      ['services', 'delete'],
    ])
    const node = plan([{ Node: { Verb: 'delete', Node: { Node: 'N' } } }])
    expect(node.changes.map(({ table }) => table)).toEqual(['checks', 'services', 'nodes'])
  })

  test('a record that is made and deleted is no change; one that is deleted and made keeps its CreateIndex', () => {
    const made = plan([
      { Node: { Verb: 'set', Node: { Node: 'new', Address: 'a' } } },
      { Node: { Verb: 'delete', Node: { Node: 'new' } } },
    ])
    expect(made).toMatchObject({ changes: [], failed: [] })
    const again = plan([
      { Check: { Verb: 'delete', Check: { Node: 'n', CheckID: 'c' } } },
      { Check: { Verb: 'cas', Check: { Node: 'n', CheckID: 'c', ServiceID: 's', ModifyIndex: 0 } } },
    ])
    expect(again.shown).toMatchObject([{ record: { CreateIndex: 7, ModifyIndex: PENDING_INDEX } }])
    expect(again.changes).toMatchObject([{ table: 'checks', op: 'put' }])
  })

  test('delete-cas of a record that does not exist fails, even with index 0', () => {
    const Service = { ID: 'gone', Service: 'gone' }
    const { failed, refused } = plan([
      { Node: { Verb: 'delete-cas', Node: { Node: 'gone' } } },
      { Service: { Verb: 'delete-cas', Node: 'n', Service } },
      { Check: { Verb: 'delete-cas', Check: { Node: 'n', CheckID: 'gone' } } },
    ])
    expect([failed.map(({ place }) => place), refused]).toEqual([[0, 1, 2], []])
  })

  test('a plan depends on the check that it names, in its namespace and as a check of the node', () => {
    const { expects } = plan([
      { Check: { Verb: 'get', Check: { Node: 'n', CheckID: 'd', Namespace: 'team' } } },
    ])
    const keyIn = (Namespace: string) => checkKey({ Node: 'n', CheckID: 'd', Namespace })
    expect(expects).toEqual([
      { table: 'checks', key: keyIn('team'), modifyIndex: 0 },
      { table: 'checks', key: keyIn('default'), modifyIndex: 0 },
    ])
  })

  test('rights: the name that is sent, and the one that is stored', () => {
    const asked: string[] = []
    const may: May = ({ resource, segment, access }) => {
      asked.push(`${resource} ${segment} ${access}`)
      return true
    }
    plan([{ Service: { Verb: 'set', Node: 'n', Service: { ID: 'S', Service: 'api' } } }], stored(), may)
    plan([{ Check: { Verb: 'delete', Check: { Node: 'n', CheckID: 'c' } } }], stored(), (question, ns) => {
      may(question, ns)
      return false
    })
    expect(new Set(asked)).toEqual(new Set(['service api write', 'service web write', 'node n write']))
  })

  test('a caller without rights learns nothing of what is stored', () => {
    for (const id of ['s', 'gone']) {
      const operations: OperationBody[] = [
        { Node: { Verb: 'get', Node: { Node: id === 's' ? 'n' : 'gone' } } },
        { Service: { Verb: 'get', Node: 'n', Service: { ID: id } } },
        { Check: { Verb: 'get', Check: { Node: 'n', CheckID: id === 's' ? 'c' : 'gone' } } },
        { Check: { Verb: 'set', Check: { Node: 'n', CheckID: 'd', ServiceID: id } } },
        { Service: { Verb: 'delete-cas', Node: 'n', Service: { ID: id, Service: 'web', ModifyIndex: 6 } } },
        key('get', id),
      ]
      expect(plan(operations, stored(), none)).toMatchObject({
        shown: [],
        failed: [],
        refused: [{ place: 3 }, { place: 4 }],
      })
    }
  })
})

test.each<[OperationBody, string]>([
  [{ Node: { Verb: 'set', Node: {} } }, 'Must provide node'],
  [{ Node: { Verb: 'set', Node: { Node: 'n', ID: 'x' } } }, 'Bad node ID: "x" is no UUID'],
  [{ Check: { Verb: 'set', Check: { Node: 'n' } } }, 'Must provide check name'],
])('%j is malformed', (operation, what) => {
  expect(plan([operation]).refused).toEqual([{ place: 0, what }])
})

test('a transaction reads if every operation does', () => {
  const options = { datacenter: 'dc1', namespaceOf: () => 'default' }
  const isReading = (body: OperationBody) => {
    const operation = readOperation(body, options)
    return !operation || isRead(operation)
  }
  for (const verb of ['get', 'get-tree', 'check-index', 'check-session', 'check-not-exists', 'shift'])
    expect(isReading(key(verb, 'a')), verb).toBe(true)
  for (const verb of ['set', 'cas', 'lock', 'unlock', 'delete', 'delete-cas', 'delete-tree'])
    expect(isReading(key(verb, 'a', { Session: 's' })), verb).toBe(false)
})
