import { aWorld, MANAGEMENT } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'

test('a check belongs to the token that registered or changed it last; the same registration by another one changes nothing', async () => {
  const world = await aWorld()
  const { SecretID, AccessorID } = await world.token({ Policies: [{ Name: 'global-management' }] })
  const register = (token: string, check: object) =>
    world.ask('PUT', '/agent/check/register', { token, body: { Name: 'web', Interval: '10s', ...check } })
  const stored = () => world.store.catalog().check('n1', 'web')
  await register(SecretID, { TCP: '127.0.0.1:1' })
  expect(stored()?.Agent?.owner).toBe(AccessorID)
  const before = stored()
  await register(MANAGEMENT, { TCP: '127.0.0.1:1' })
  expect(stored()).toEqual(before)
  await register(MANAGEMENT, { TCP: '127.0.0.1:2' })
  expect(stored()?.Agent?.owner).not.toBe(AccessorID)
})
