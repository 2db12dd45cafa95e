// @vitest-environment jsdom
import { createClient } from '@latchkey/sdk'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createExampleService, READER_TOKEN } from '../src/mock-service.ts'
import { TokensApp } from '../src/tokens-app.tsx'
import { eventually, render, type Screen } from './render.tsx'

const service = createExampleService({ clock: '2026-01-01T00:00:00Z' })
const server = setupServer(...service.handlers)
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterAll(() => server.close())

let screen: Screen | undefined
afterEach(() => {
  screen?.unmount()
  service.reset()
})

/** The app as a person with this token sees it. */
async function open(token = service.managementToken): Promise<Screen> {
  const client = createClient({ address: service.baseUrl, token })
  const opened = render(<TokensApp client={client} />)
  screen = opened
  await eventually(() => expect(opened.text('h1')).toBe('Tokens'))
  return opened
}

const descriptions = (from: Screen) => from.rows().map(([description]) => description)

const SEEDED = ['Anonymous Token', 'Initial Management Token', 'Looks only', 'Deploys the web shop']

test('lists the tokens of the service with policies and expiration', async () => {
  const app = await open()
  await eventually(() => expect(descriptions(app)).toEqual(SEEDED))
  expect(app.rows()[3]?.slice(2)).toEqual(['web', '2026-01-02T00:00:00Z'])
  expect(app.rows()[0]?.slice(2)).toEqual(['—', 'never'])
})

test('creates a token, shows its secret, and sees it appear in the list', async () => {
  const app = await open()
  app.submit({ description: 'Mine', policy: 'web', lifetime: '1h' })
  await eventually(() => expect(descriptions(app)).toEqual([...SEEDED, 'Mine']))
  expect(app.rows()[4]?.slice(2)).toEqual(['web', '2026-01-01T01:00:00Z'])
  await eventually(() => expect(app.text('output')).toMatch(/^Created. Its secret: [0-9a-f-]{36}$/))
})

test('shows the message of a refusal and creates nothing', async () => {
  const app = await open()
  app.submit({ description: 'Mine', policy: 'wbe' })
  await eventually(() =>
    expect(app.text('[data-code=link_unknown]')).toMatch('No such ACL policy with name "wbe"'),
  )
  await eventually(() => expect(descriptions(app)).toEqual(SEEDED))
})

test('a person who may only read sees the list, and is refused the rest (spec 4.1)', async () => {
  const app = await open(READER_TOKEN)
  await eventually(() => expect(descriptions(app)).toEqual(SEEDED))
  app.submit({ description: 'Mine' })
  await eventually(() => expect(app.text('[data-code=privilege_missing]')).toMatch('acl:write'))
})

test('a person with an unknown token sees why there is no list', async () => {
  const app = await open('00000000-1111-4222-8333-444444444444')
  await eventually(() => expect(app.text('[role=alert]')).toMatch('ACL not found'))
  expect(app.rows()).toEqual([])
})

test('an expired token disappears from the list by itself (spec 3)', async () => {
  const app = await open()
  await eventually(() => expect(descriptions(app)).toEqual(SEEDED))
  await service.untilWaiting()
  service.clock.advance('24h1s')
  await eventually(() => expect(descriptions(app)).toEqual(SEEDED.slice(0, 3)))
})

test('a create whose answer is lost creates one token, not two', async () => {
  const app = await open()
  service.failNext('tokens.create', 'lost')
  app.submit({ description: 'Once' })
  await eventually(() => expect(app.text('output')).toMatch('Created'))
  await eventually(() => expect(descriptions(app)).toEqual([...SEEDED, 'Once']))
  expect(service.calls.filter((call) => call.endpoint === 'tokens.create').length).toBeGreaterThan(1)
})
