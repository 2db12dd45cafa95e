/** What is stored once and shown many times. Decisions: bounds. */
import { limits } from '@latchkey/contract'
import { aWorld, endIntentionsMigration, MANAGEMENT } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'

const TOO_LARGE = { status: 413, code: 'answer_too_large' }

test('413: the checks of a service together repeat more than REPEATED_BYTES_MAX of its tags, in every list of checks', async () => {
  const { ask } = await aWorld()
  const put = async (path: string, body: object) => {
    expect(await ask('PUT', path, { token: MANAGEMENT, body })).toMatchObject({ status: 200 })
  }
  const Tags = Array.from({ length: 100 }, (_, i) => `${i}`.padEnd(4_000, 't'))
  const tagBytes = Tags.join('').length
  const fitting = Math.floor(limits.REPEATED_BYTES_MAX / tagBytes)
  await put('/agent/service/register', { Name: 'web', Tags })
  const lists = [
    ...['/agent/checks', '/agent/health/service/id/web', '/agent/health/service/name/web'],
    ...['/health/checks/web', '/health/checks/web?filter=CheckID!=x', '/health/service/web'],
    ...['/health/state/any', '/internal/ui/nodes'],
  ]
  // Nothing repeats the first one.
  for (let i = 0; i <= fitting; i += 1)
    await put('/agent/check/register', {
      ID: `c${i}`,
      Name: 'c',
      ServiceID: 'web',
      TTL: '1h',
      Status: 'passing',
    })
  for (const path of lists)
    expect(await ask('GET', path, { token: MANAGEMENT }), path).toMatchObject({ status: 200 })
  await put('/agent/check/register', {
    ID: 'more',
    Name: 'c',
    ServiceID: 'web',
    TTL: '1h',
    Status: 'passing',
  })
  for (const path of lists)
    expect(await ask('GET', path, { token: MANAGEMENT }), path).toMatchObject(TOO_LARGE)
  const text = await ask('GET', '/agent/health/service/name/web?format=text', { token: MANAGEMENT })
  expect(text).toMatchObject({ status: 200, text: 'passing' })
})

test('413: an intention that concerns every name is shown for too many of them', async () => {
  const world = await aWorld()
  const { ask, manage } = world
  endIntentionsMigration(world)
  const Permissions = Array.from({ length: 60 }, () => ({
    Action: 'allow',
    HTTP: { PathExact: `/${'p'.repeat(1_000)}` },
  }))
  const config = (Name: string) => ({
    Kind: 'service-intentions',
    Name,
    Sources: [{ Name: '*', Permissions }],
  })
  for (let i = 0; i < 5; i += 1) await manage('PUT', '/config', config(`api-${i}`))
  const path = (names: number) =>
    `/connect/intentions/match?by=source&${Array.from({ length: names }, (_, i) => `name=n${i}`).join('&')}`
  expect(await ask('GET', path(20), { token: MANAGEMENT })).toMatchObject({ status: 200 })
  expect(await ask('GET', path(64), { token: MANAGEMENT })).toMatchObject(TOO_LARGE)
})
