/** Records of a later version, read and sent back at an earlier one. Spec 9.1, 9.3 (1.7.0). */
import { putOf } from '@latchkey/testkit/records/changes'
import { aRole, aToken } from '@latchkey/testkit/records/record-builders'
import { aWorld, MANAGEMENT as token } from '@latchkey/testkit/service/world'
import { describe, expect, test } from 'vitest'

const NodeIdentities = [{ NodeName: 'node-1', Datacenter: 'dc1' }]
const ServiceIdentities = [{ ServiceName: 'web' }]

describe.each(['1.5.0', '1.6.0', '1.7.0', '1.8.0'])('%s, which has no NodeIdentities', (version) => {
  test('a token is shown without them, can be sent back as read, and keeps them', async () => {
    const { ask, manage, store } = await aWorld({ version })
    const later = aToken({ ServiceIdentities, NodeIdentities })
    await store.commit([putOf('tokens', later, 0)])
    const path = `/acl/token/${later.AccessorID}`
    const list = (await manage('GET', '/acl/tokens')) as { AccessorID: string }[]
    const listed = list.find(({ AccessorID }) => AccessorID === later.AccessorID) ?? {}
    for (const shown of [await manage('GET', path), await manage('GET', `${path}?expanded`), listed]) {
      expect(shown).toMatchObject({ ServiceIdentities })
      expect(shown).not.toHaveProperty('NodeIdentities')
    }
    const read = (await manage('GET', path)) as object
    const reply = await ask('PUT', path, { token, body: { ...read, Description: 'changed' } })
    expect([reply.status, reply.json]).toEqual([200, expect.not.objectContaining({ NodeIdentities })])
    const stored = await store.tokenByAccessor(later.AccessorID)
    expect(stored).toMatchObject({ Description: 'changed', ServiceIdentities, NodeIdentities })
    const newer = await aWorld({ version: '1.8.1' })
    const same = await newer.token({ Description: 'changed', ServiceIdentities, NodeIdentities })
    expect(stored?.Hash).toBe(same.Hash)
  })

  test('a role behaves the same way', async () => {
    const { ask, manage, store } = await aWorld({ version })
    const later = aRole({ NodeIdentities })
    await store.commit([putOf('roles', later, 0)])
    const path = `/acl/role/${later.ID}`
    const read = (await manage('GET', path)) as object
    const [listed] = (await manage('GET', '/acl/roles')) as object[]
    for (const shown of [read, listed]) expect(shown).not.toHaveProperty('NodeIdentities')
    const reply = await ask('PUT', path, { token, body: { ...read, Description: 'changed' } })
    expect([reply.status, reply.json]).toEqual([200, expect.not.objectContaining({ NodeIdentities })])
    expect(store.directory().role(later.ID)).toMatchObject({ Description: 'changed', NodeIdentities })
  })
})

test('1.8.1: an update without NodeIdentities clears them', async () => {
  const { manage, store } = await aWorld({ version: '1.8.1' })
  const record = aToken({ NodeIdentities })
  await store.commit([putOf('tokens', record, 0)])
  await manage('PUT', `/acl/token/${record.AccessorID}`, {})
  expect(await store.tokenByAccessor(record.AccessorID)).toMatchObject({ NodeIdentities: [] })
})
