/** The statements about leases, one by one. Decisions: read leases. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, PATIENT } from '../../../../test/database.ts'
import { connectDatabase } from '../../../database/connect.ts'
import { type Closing, Lease } from './lease.ts'
import { LeaseClosing } from './lease-closing.ts'

const { url } = await createTestDatabase()
const client = new pg.Client({ connectionString: url })
await client.connect()
const log = pino({ level: 'silent' })
const database = connectDatabase({ url, log, limits: PATIENT })
afterAll(async () => {
  await database.close()
  await client.end()
})
beforeEach(async () => {
  await client.query(`TRUNCATE member`)
  await client.query(`UPDATE commit_index SET lease_phase = 'none', timeline = latchkey_timeline()`)
})

async function answerOf<T>(statement: string, values: readonly unknown[]): Promise<T> {
  const { rows } = await client.query(`SELECT ${statement} AS answer`, [...values])
  return rows[0].answer
}

async function phase(): Promise<string> {
  return (await client.query('SELECT lease_phase FROM commit_index')).rows[0].lease_phase
}

/** A member with its own count of heartbeats. */
async function aMember() {
  const id = randomUUID()
  let beats = 1
  const self = {
    id,
    datacenter: 'dc1',
    node: id,
    version: '1.11.0',
    mode: 'enabled',
    address: '',
    process: id,
  }
  const enter = (beat: number, waited?: string) =>
    answerOf<{ index: number } | Closing>('latchkey_enter($1, $2)', [{ ...self, beat }, waited])
  const beat = (options: object = {}) => {
    beats += 1
    const beating = { id, mode: 'enabled', address: '', is_leader: false, seen_index: 0, beat: beats }
    return answerOf<{ is_member: boolean; lease: boolean; closing: string | null }>(
      `latchkey_heartbeat($1, interval '5 s')`,
      [{ ...beating, holds_lease: false, asks_lease: true, ...options }],
    )
  }
  const close = (waited?: string, authorBeat = beats) =>
    answerOf<Closing | null>('latchkey_close_leases($1, $2, $3)', [id, authorBeat, waited])
  expect(await enter(beats)).toMatchObject({ index: expect.any(Number) })
  return { id, enter, beat, close, beats: () => beats }
}

test('COH-02: a commit waits for the leases of others, and none is granted until then', async () => {
  const [writer, holder] = [await aMember(), await aMember()]
  expect(await writer.close()).toBeNull()
  expect(await holder.beat()).toMatchObject({ lease: true, closing: null })
  const closing = await writer.close()
  expect(closing).toEqual({
    id: expect.any(String),
    epoch: expect.any(String),
    holders: [{ id: holder.id, process: holder.id, beat: 2 }],
  })
  expect(await phase()).toBe('closing')
  expect(await holder.beat({ holds_lease: true })).toMatchObject({ lease: false, closing: closing?.id })
  expect(await writer.close()).toMatchObject({ id: closing?.id })
  // The holder reports with its next heartbeat that it holds no lease.
  expect(await holder.beat()).toMatchObject({ lease: false })
  expect(await writer.close()).not.toEqual(closing)
  expect(await phase()).toBe('none')
})

test('COH-02: an author that has waited for an epoch commits, unless leases were opened again', async () => {
  const [writer, holder] = [await aMember(), await aMember()]
  await holder.beat()
  const closing = await writer.close()
  expect(await holder.beat({ waited: closing?.id })).toMatchObject({ lease: true })
  const again = await writer.close(closing?.id)
  expect(again).toMatchObject({ holders: [{ id: holder.id }] })
  expect(again?.epoch).not.toBe(closing?.epoch)
  expect(await writer.close(again?.id)).toBeNull()
})

test('COH-02: a commit that arrives late waits for a later lease of its own author', async () => {
  const [writer, other] = [await aMember(), await aMember()]
  const sentAt = writer.beats()
  await writer.beat()
  await other.beat()
  expect((await writer.close(undefined, sentAt))?.holders).toHaveLength(2)
  expect((await writer.close())?.holders).toMatchObject([{ id: other.id }])
})

test('COH-02: heartbeats and joins that arrive after a later one change nothing', async () => {
  const [member, other] = [await aMember(), await aMember()]
  await member.beat()
  expect(await member.beat({ beat: 1 })).toEqual({ is_member: false })
  const closing = await other.close()
  expect(closing?.holders).toHaveLength(1)
  await member.enter(1, closing?.id)
  const { rows } = await client.query('SELECT beat, lease_epoch FROM member WHERE id = $1', [member.id])
  expect(rows).toEqual([{ beat: '2', lease_epoch: closing?.epoch }])
})

test('COH-02: a fenced member delays commits until its lease has expired, and a sole member keeps its lease over its own commits', async () => {
  const [writer, fenced] = [await aMember(), await aMember()]
  await fenced.beat()
  await client.query('UPDATE member SET is_fenced = true WHERE id = $1', [fenced.id])
  const closing = await writer.close()
  expect(closing).toMatchObject({ holders: [{ id: fenced.id }] })
  expect(await writer.close(closing?.id)).toBeNull()
  expect(await writer.beat()).toMatchObject({ lease: true })
  expect(await writer.close()).toBeNull()
  expect(await phase()).toBe('open')
})

test('COH-02: after a standby took over, only time ends the leases of the old primary', async () => {
  const [writer, holder] = [await aMember(), await aMember()]
  await holder.beat()
  await client.query(`UPDATE commit_index SET timeline = 'an earlier one'`)
  expect(await holder.beat({ holds_lease: true })).toMatchObject({
    lease: false,
    closing: expect.any(String),
  })
  const closing = await writer.close()
  expect(closing).toEqual({ id: expect.any(String), epoch: expect.any(String) })
  expect(await writer.close('another')).toEqual(closing)
  expect(await holder.enter(100)).toEqual(closing)
  expect(await writer.close(closing?.id)).toBeNull()
})

test('COH-02: a writer does not rely on a process that gave up its lease before the database forgot that and granted it another', async () => {
  const [writer, holder] = [await aMember(), await aMember()]
  await holder.beat()
  const told: string[] = []
  const parts = { lease: new Lease(), beatSoon: () => {}, tell: (text: string) => told.push(text), log }
  const ofHolder = new LeaseClosing({
    ...parts,
    memberId: holder.id,
    beats: holder.beats,
    prisma: database.prisma,
  })
  const ofWriter = new LeaseClosing({
    ...parts,
    memberId: writer.id,
    beats: writer.beats,
    prisma: database.prisma,
  })
  const first = await writer.close()
  ofHolder.hear(`close ${first?.epoch}`)
  ofWriter.hear(told[0] ?? '')
  await client.query(`UPDATE commit_index SET lease_phase = 'open'`)
  expect(await holder.beat({ holds_lease: true })).toMatchObject({ lease: true })
  const second = await writer.close(first?.id)
  expect(second?.epoch).toBe(first?.epoch)
  if (!second) throw new TypeError('the lease is not seen')
  let isOver = false
  const ended = ofWriter.ended(second).then(() => {
    isOver = true
  })
  // A writer that waits for no holder gets its answer in the meantime.
  await ofWriter.ended({ ...second, holders: [] })
  expect(isOver).toBe(false)
  ofHolder.hear(`close ${second.epoch}`)
  ofWriter.hear(told[1] ?? '')
  await ended
  expect(isOver).toBe(true)
})

test('the messages of the holders alone end the wait of a writer, in each epoch', async () => {
  let queries = 0
  const prisma = new Proxy(database.prisma, {
    get() {
      queries += 1
    },
  })
  const parts = { lease: new Lease(), beatSoon: () => {}, tell: () => {}, log }
  const closing = new LeaseClosing({ ...parts, memberId: 'writer', beats: () => 1, prisma })
  for (const epoch of ['1', '2']) {
    const holders = [{ id: 'holder', process: '', beat: 3 }]
    const ended = closing.ended({ id: epoch, epoch, holders })
    closing.hear(`gone ${epoch} holder 3`)
    await ended
  }
  expect(queries).toBe(0)
})

describe('COH-02: a database that crashed forgets that leases were ending, so', () => {
  test('a writer that had waited for their end also waits for leases that another writer ends afterwards', async () => {
    const [first, second, holder] = [await aMember(), await aMember(), await aMember()]
    await holder.beat()
    const one = await first.close()
    await client.query(`UPDATE commit_index SET lease_phase = 'open'`)
    expect(await holder.beat()).toMatchObject({ lease: true })
    const two = await second.close()
    expect(two).toMatchObject({ epoch: one?.epoch, holders: [{ id: holder.id }] })
    expect(await first.close(one?.id)).toEqual(two)
    expect(await second.close(two?.id)).toBeNull()
  })

  test('a heartbeat that had waited opens none', async () => {
    const [first, second, holder, third] = [
      await aMember(),
      await aMember(),
      await aMember(),
      await aMember(),
    ]
    await holder.beat()
    const one = await first.close()
    await client.query(`UPDATE commit_index SET lease_phase = 'open'`)
    await holder.beat()
    const two = await second.close()
    expect(await third.beat({ waited: one?.id })).toMatchObject({ lease: false, closing: two?.id })
  })
})

describe('COH-02: after a standby took over', () => {
  test.each(['close', 'beat', 'leave'] as const)(
    'the index exceeds every index of the old primary, and every process reloads everything: noticed by %s',
    async (how) => {
      const member = await aMember()
      const stateOf = async () => {
        const { rows } = await client.query('SELECT index, pruned FROM commit_index')
        return { index: Number(rows[0].index), pruned: Number(rows[0].pruned) }
      }
      const before = await stateOf()
      await client.query(`UPDATE commit_index SET timeline = 'an earlier one'`)
      if (how === 'leave') await client.query('SELECT latchkey_leave($1, false, NULL)', [member.id])
      else await member[how]()
      const { index, pruned } = await stateOf()
      expect(pruned).toBe(before.index + 1_000_000)
      expect(index).toBe(how === 'leave' ? pruned + 1 : pruned)
      const { rows } = await client.query('SELECT latchkey_change_log($1) AS log', [before.index])
      expect(rows[0].log).toMatchObject({ index, reset: true })
      expect(await member.close()).toMatchObject({ id: expect.any(String) })
      expect(await stateOf()).toEqual({ index, pruned })
    },
  )
})

test('COH-02: a member that has sent another heartbeat is not removed', async () => {
  const member = await aMember()
  await member.beat()
  const rowOf = async () => (await client.query('SELECT is_fenced, lease_epoch FROM member')).rows[0]
  await client.query('SELECT latchkey_leave($1, true, 1)', [member.id])
  expect(await rowOf()).toEqual({ is_fenced: false, lease_epoch: expect.any(String) })
  await client.query('SELECT latchkey_leave($1, true, 2)', [member.id])
  expect(await rowOf()).toEqual({ is_fenced: true, lease_epoch: null })
})

test('COH-02: leases rely on read committed, whatever the database sets as default', async () => {
  const name = new URL(url).pathname.slice(1)
  await client.query(`ALTER DATABASE "${name}" SET default_transaction_isolation = 'serializable'`)
  const other = connectDatabase({ url, log, limits: PATIENT })
  const { rows } = await other.pool.query('SHOW transaction_isolation')
  await other.close()
  expect(rows).toEqual([{ transaction_isolation: 'read committed' }])
})
