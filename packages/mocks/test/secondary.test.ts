import { setImmediate as nextTurn } from 'node:timers/promises'
import { createClient } from '@latchkey/sdk'
import { expect, test } from 'vitest'
import { createMockService } from '../src/index.ts'

const primary = createMockService({ clock: '2028-02-29T12:00:00Z' })
const secondary = createMockService({
  clock: '2028-02-29T12:00:00Z',
  baseUrl: 'https://dc2.latchkey.test',
  datacenter: 'dc2',
  primaryDatacenter: 'dc1',
  datacenters: { dc1: primary },
})
const token = primary.managementToken
const there = createClient({ address: primary.baseUrl, fetch: primary.fetch, token })
const here = createClient({ address: secondary.baseUrl, fetch: secondary.fetch, token })

test('shows a page that its datacenter lags, pauses and fails', async () => {
  const { AccessorID } = await there.tokens.create({ Description: 'deploys' })
  expect(await here.tokens.read(AccessorID)).toMatchObject({ Description: 'deploys' })

  secondary.replication.lag('30s')
  await there.tokens.update(AccessorID, { Description: 'deploys to production' })
  expect(await here.tokens.read(AccessorID)).toMatchObject({ Description: 'deploys' })
  secondary.clock.advance('30s')
  expect(await here.tokens.read(AccessorID)).toMatchObject({ Description: 'deploys to production' })

  secondary.replication.pause()
  await there.tokens.delete(AccessorID)
  expect(await here.status.replication()).toMatchObject({ Running: false, State: 'paused', LagIndex: 1 })

  secondary.replication.resume()
  secondary.replication.fail('the certificate of the primary has expired')
  expect(await here.status.replication()).toMatchObject({
    State: 'waiting',
    LastErrorMessage: 'the certificate of the primary has expired',
  })

  secondary.replication.resume()
  expect(await here.status.replication()).toMatchObject({ Running: true, State: 'following', LagIndex: 0 })
  expect(await here.tokens.list()).not.toContainEqual(expect.objectContaining({ AccessorID }))
})

test('wakes a blocking query of the secondary when the primary has changed', async () => {
  const { ID } = await there.policies.create({ Name: 'readers' })
  const seen = here.policies.watch(ID)[Symbol.asyncIterator]()
  expect((await seen.next()).value).toMatchObject({ value: { Description: '' } })
  const next = seen.next()
  await secondary.untilWaiting()
  await there.policies.update(ID, { Name: 'readers', Description: 'all of them' })
  expect((await next).value).toMatchObject({ value: { Description: 'all of them' } })
  await seen.return?.()
})

test('starts again with its primary after a reset of both', async () => {
  const { AccessorID } = await there.tokens.create({ Description: 'gone' })
  expect(await here.tokens.read(AccessorID)).toBeDefined()
  secondary.replication.pause()
  primary.reset()
  secondary.reset()
  expect((await here.tokens.list()).map(({ Description }) => Description).sort()).toEqual([
    'Anonymous Token',
    'Initial Management Token',
  ])
})

test('a datacenter that is followed counts no wait of its follower', async () => {
  await here.tokens.list()
  const waits = primary.untilWaiting().then(() => 'counted')
  expect(await Promise.race([waits, nextTurn('none')])).toBe('none')
})
