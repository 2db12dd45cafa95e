import { expect, test } from 'vitest'
import {
  acceptCluster,
  beforeFollowing,
  hasSeenPromotion,
  PROMOTION_INDEX_GAP,
  promote,
  type ReplicationFacts,
} from './promotion.ts'

const NOW = Date.parse('2028-02-29T12:00:00Z')
const FACTS: ReplicationFacts = {
  datacenter: 'dc2',
  primaryDatacenter: 'dc1',
  cluster: { ID: 'own' },
  replication: { cluster: 'first', index: 100, skipped: [] },
  commitIndex: 7,
  isBootstrapped: false,
}
const CONTEXT = { answered: undefined, id: 'new', now: NOW }

test('a promotion gives the store a new id, and indexes above every one of the old primary', () => {
  const { cluster, above, followed } = promote(FACTS, CONTEXT)
  expect(cluster).toEqual({ ID: 'new', promoted: { at: '2028-02-29T12:00:00Z', from: 'dc1' } })
  expect(above).toBe(100 + PROMOTION_INDEX_GAP)
  expect(followed.cluster).toBe('first')
  expect(promote({ ...FACTS, commitIndex: 500 }, CONTEXT).above).toBe(500 + PROMOTION_INDEX_GAP)
})

test.each([
  ['the primary by its settings', { primaryDatacenter: 'dc2' }, {}],
  ['a datacenter that was promoted', { cluster: { ID: 'own', promoted: { at: '', from: 'dc1' } } }, {}],
  ['a datacenter that never followed', { replication: undefined }, {}],
  ['an incomplete first copy', { replication: { cluster: 'first', index: 0, skipped: [] } }, {}],
  [
    'a datacenter without the tokens',
    { replication: { cluster: 'first', index: 100, skipped: [], withoutTokens: true as const } },
    {},
  ],
  ['a primary that answers', {}, { answered: '3 s ago' }],
  ['an index without room above', { commitIndex: Number.MAX_SAFE_INTEGER - 2 * PROMOTION_INDEX_GAP + 1 }, {}],
])('replication_refused: promotion of %s', (_, facts, context) => {
  expect(() => promote({ ...FACTS, ...facts }, { ...CONTEXT, ...context })).toThrow(
    expect.objectContaining({ code: 'replication_refused' }),
  )
})

test('two million promotions fit into the commit index', () => {
  const commitIndex = Number.MAX_SAFE_INTEGER - 2 * PROMOTION_INDEX_GAP
  expect(promote({ ...FACTS, commitIndex }, CONTEXT).above).toBe(commitIndex + PROMOTION_INDEX_GAP)
})

test('an accepted store is remembered with the cursor', () => {
  expect(acceptCluster('second', FACTS)).toEqual({
    cluster: { ID: 'own' },
    replication: { cluster: 'first', index: 100, skipped: [], accepted: 'second' },
  })
})

test('accepting another store ends a promotion: what follows is compared with the state of this datacenter', () => {
  const promoted = {
    ...FACTS,
    cluster: { ID: 'own', promoted: { at: '', from: 'dc1' } },
    isBootstrapped: true,
  }
  expect(acceptCluster('second', { ...promoted, replication: undefined })).toEqual({
    cluster: { ID: 'own' },
    replication: { cluster: 'own', index: 7, skipped: [], accepted: 'second' },
  })
})

test('replication begins with nothing in a new secondary, and with its own state in one that was a primary', () => {
  expect(beforeFollowing(FACTS)).toEqual({ cluster: '', index: 0, skipped: [] })
  expect(beforeFollowing({ ...FACTS, isBootstrapped: true })).toEqual({
    cluster: 'own',
    index: 7,
    skipped: [],
  })
})

test.each([
  ['in a primary datacenter', 'second', { primaryDatacenter: 'dc2' }],
  ['of this store', 'own', {}],
])('replication_refused: acceptance %s', (_, accepted, facts) => {
  expect(() => acceptCluster(accepted, { ...FACTS, ...facts })).toThrow(
    expect.objectContaining({ code: 'replication_refused' }),
  )
})

test('only an index of a later primary reveals a promotion', () => {
  expect(hasSeenPromotion(100 + PROMOTION_INDEX_GAP, 100)).toBe(true)
  expect(hasSeenPromotion(100 + PROMOTION_INDEX_GAP, 100 + PROMOTION_INDEX_GAP / 2)).toBe(true)
  expect(hasSeenPromotion(100 + PROMOTION_INDEX_GAP, 101 + PROMOTION_INDEX_GAP / 2)).toBe(false)
  expect(hasSeenPromotion(1_000_000, 0)).toBe(false)
})
