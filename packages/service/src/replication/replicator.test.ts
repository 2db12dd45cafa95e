import { putOf } from '@latchkey/testkit/records/changes'
import { aToken } from '@latchkey/testkit/records/record-builders'
import { aSecondary } from '@latchkey/testkit/replication/secondary'
import { aWorld } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'

test('copies everything once a day, mends what differs, also a token that the primary does not have, and counts it', async () => {
  const primary = await aWorld()
  const { store, step, settle } = aSecondary(primary)
  const kept = await primary.token({ Description: 'kept' })
  await settle()
  /** Steps until a daily copy has ended. */
  const mended = async () => {
    for (;;) {
      const { mended, outcome, error } = await step()
      if (outcome === 'failed') throw error
      if (mended) return mended
    }
  }
  const none = { namespaces: 0, policies: 0, roles: 0, tokens: 0 }
  await primary.clock.advance(600_000)
  expect(await mended()).toEqual(none)
  const stored = await store.tokenBySecret(kept.SecretID)
  if (!stored) return expect.fail()
  const revoked = aToken()
  store.commitNow([putOf('tokens', { ...stored, Description: 'drifted' }), putOf('tokens', revoked)])
  await primary.clock.advance(86_400_000)
  expect(await mended()).toEqual({ ...none, tokens: 2 })
  expect(await store.tokenBySecret(kept.SecretID)).toMatchObject({ Description: 'kept' })
  expect(await store.tokenBySecret(revoked.SecretID)).toBeUndefined()
  await primary.clock.advance(86_400_000)
  expect(await mended()).toEqual(none)
})

test('after a failure, the next request does not wait for a change, so the status is soon correct', async () => {
  const secondary = aSecondary(await aWorld())
  const { waits, edit, step, settle, status } = secondary
  await settle()
  await step()
  secondary.edit = () => {
    throw new Error('cut')
  }
  await step()
  secondary.edit = edit
  await step()
  expect(status().state).toBe('following')
  await step()
  expect(waits.slice(-4)).toEqual(['14000ms', '14000ms', '1ms', '14000ms'])
})

test('REP-13: a secondary is not followed as a primary: nothing is stored, and the status says why', async () => {
  const other = await aWorld({ datacenter: 'dc1', primaryDatacenter: 'dc2' })
  const { store, step, status } = aSecondary(other)
  expect((await step()).outcome).toBe('paused')
  expect(status().lastErrorMessage).toBe('replication paused: dc1 is no primary: it takes "dc2" for one')
  expect([...store.directory().policies()]).toEqual([])
})

test('REP-13: an older answer that arrives late changes nothing', async () => {
  const primary = await aWorld()
  const secondary = aSecondary(primary)
  const { store, edit, step, settle, record } = secondary
  const { AccessorID } = await primary.token({ Description: 'old' })
  await settle()
  const before = record()
  await primary.manage('PUT', `/acl/token/${AccessorID}`, { Description: 'new' })
  secondary.edit = ({ changes, ...answer }) => ({
    ...answer,
    changes: { ...changes, Index: before.index - 1 },
  })
  expect((await step()).outcome).toBe('unchanged')
  expect(record()).toEqual(before)
  expect(await store.tokenByAccessor(AccessorID)).toMatchObject({ Description: 'old' })
  secondary.edit = edit
  await settle()
  expect(await store.tokenByAccessor(AccessorID)).toMatchObject({ Description: 'new' })
})
