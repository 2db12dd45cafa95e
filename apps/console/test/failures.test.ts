/** What people see when something fails, in Chromium on the mocks. */
import type { Route } from 'playwright-core'
import { describe, expect } from 'vitest'
import { axeViolations, executablePath } from './browser.ts'
import { mocked, NO_RIGHTS, ORIGIN, READER } from './mocked.ts'
import { go } from './pages.ts'

describe.skipIf(executablePath === undefined)('the console on mocks', () => {
  mocked('a migration: progress, rate and expected end, drawn and as a table', async ({ page, mocks }) => {
    let done = 0
    await page.route(`${ORIGIN}/v1/internal/acl/migration*`, async (route) => {
      done = Math.min(done + 128, 256)
      const rate = { Batches: done / 128, TokensPerSecond: 127.5, EstimatedSeconds: 60 }
      await route.fulfill({ json: { State: 'running', Done: done, Total: 9_000, ...rate } })
    })
    await mocks.open('/upgrade', mocks.service.managementToken)
    await page.getByRole('img', { name: 'Progress: Done 256' }).waitFor()
    await page.getByRole('img', { name: 'Rate: Rate 127.5/s' }).locator('canvas').waitFor()
    await page.getByText('Show as a table').first().click()
    await page.getByRole('row').filter({ hasText: 'Expected' }).waitFor()
    await page.getByRole('row').filter({ hasText: '9,000' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
  })

  mocked('a failing server: what happened, the request id, another try', async ({ page, mocks }) => {
    mocks.service.failNext('tokens.list', 503, 3)
    await mocks.open('/tokens', mocks.service.managementToken)
    const alert = page.getByRole('alert')
    await alert.getByText('The server is not available').waitFor()
    expect(await alert.locator('code').textContent()).toMatch(/\S/)
    expect(await axeViolations(page)).toEqual([])
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('link', { name: 'Reader' }).waitFor()
  })

  mocked('a token that may only read: nothing to create, no secret', async ({ page, mocks }) => {
    const policy = await mocks.client.policies.readByName('reader')
    await mocks.open(`/policies/${policy.ID}`, READER)
    await page.getByText('Read only').first().waitFor()
    expect(await page.getByRole('button', { name: 'Review and save' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Reader' }).click()
    await page.getByText('What it may do').waitFor()
    expect(await page.getByRole('button', { name: 'Copy secret' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Edit token' }).count()).toBe(0)
  })

  mocked('a token that may read sessions and not end them', async ({ page, mocks, expect }) => {
    const { ID } = await mocks.client.sessions.create({ Name: 'Export' })
    await mocks.open(`/sessions/${ID}`, READER)
    await page.getByRole('heading', { name: 'Export' }).waitFor()
    await page.getByText('This session holds no keys, or your token may not read them').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'End session' }).count()).toBe(0)
    await mocks.open('/sessions', NO_RIGHTS)
    await page.getByText('No program has a session, or your token may not read them').waitFor()
    await go(page, '/intentions')
    await page.getByText('There are none, or your token may not read them').waitFor()
  })

  mocked('a refused form says why, and keeps what was typed', async ({ page, mocks }) => {
    await mocks.open('/tokens?create=true', mocks.service.managementToken)
    await page.getByLabel('Description').fill('Too short')
    await page.getByLabel('Expires').selectOption('other')
    await page.getByRole('textbox', { name: 'Lifetime' }).fill('30s')
    await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
    await page.getByText('cannot be less than 1m0s').waitFor()
    expect(await page.getByLabel('Description').inputValue()).toBe('Too short')
    expect(await axeViolations(page)).toEqual([])
  })

  mocked('a token that is deleted elsewhere leads back to the sign-in page', async ({ page, mocks }) => {
    await mocks.open('/tokens', READER)
    await page.getByRole('link', { name: 'Reader' }).waitFor()
    const token = await mocks.client.withToken(READER).tokens.self()
    await mocks.client.tokens.delete(token.AccessorID)
    await page.getByText('Your token has expired or was deleted').waitFor()
  })

  mocked('a token that ends while a form is open: what was typed is saved', async ({ page, mocks }) => {
    const { SecretID, AccessorID } = await mocks.client.tokens.create({
      Description: 'Ends',
      Policies: [{ Name: 'global-management' }],
    })
    const edited = await mocks.client.tokens.create({ Description: 'Before' })
    const button = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })
    await mocks.open('/tokens?create=true', SecretID)
    await page.getByLabel('Description').fill('typed')
    await mocks.client.tokens.update(AccessorID, { Policies: [{ Name: 'reader' }] })
    await page.getByText('Can read access control').first().waitFor()
    expect(await page.getByLabel('Description').inputValue()).toBe('typed')
    await mocks.client.tokens.update(AccessorID, { Policies: [{ Name: 'global-management' }] })
    await mocks.open(`/tokens/${edited.AccessorID}`, SecretID)
    await page.getByRole('button', { name: 'Edit token' }).click()
    await page.getByLabel('Description').fill('After')
    await mocks.client.tokens.delete(AccessorID)
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('textbox', { name: 'Secret' }).fill(SecretID)
    await button('Sign in').click()
    await page.getByText('The server does not know this secret').waitFor()
    await page.getByRole('textbox', { name: 'Secret' }).fill(mocks.service.managementToken)
    await button('Sign in').click()
    await button('Save').click()
    await page.getByRole('heading', { name: 'After', level: 1 }).waitFor()
    expect((await mocks.client.tokens.read(edited.AccessorID)).Description).toBe('After')
    // From here on, the page follows changes with the new token.
    await mocks.client.tokens.update(edited.AccessorID, { Description: 'Followed' })
    await page.getByRole('heading', { name: 'Followed', level: 1 }).waitFor()
  })

  mocked('an address without a page, and a key of blanks, have names', async ({ page, mocks }) => {
    await mocks.client.kv.put(' ', 'blank')
    await mocks.open('/nowhere', mocks.service.managementToken)
    await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('link', { name: 'Keys and values' }).click()
    await page.getByRole('link', { name: '“ ”' }).click()
    await page.getByRole('heading', { name: '“ ”' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
  })

  mocked('a node that does not exist, and keys that no address can hold, say so', async ({ page, mocks }) => {
    await mocks.open('/nodes/none', mocks.service.managementToken)
    await page.getByRole('heading', { name: 'This node does not exist' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await go(page, '/kv?in=dot%2F..%2F&key=dot%2F..%2Fkey')
    await page.getByRole('heading', { name: 'The console cannot open this key' }).nth(1).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await axeViolations(page)).toEqual([])
    // The same request would be refused again.
    await go(page, '/tokens/none')
    await page.getByRole('alert').getByText('UUID').waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  })

  mocked('a key that cannot be restored after it was deleted: why', async ({ page, mocks }) => {
    await mocks.client.kv.put('undone', 'value')
    await mocks.open('/kv?key=undone', mocks.service.managementToken)
    await page.getByRole('button', { name: 'Delete key' }).click()
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.waitFor()
    mocks.service.failNext('kv.write', 503, 4)
    await undo.click()
    await page.getByText('“undone” was not restored').first().waitFor()
  })

  mocked('a server that cannot be reached', async ({ page, mocks: _ }) => {
    await page.goto(`${ORIGIN}/ui/`)
    await page.getByRole('textbox', { name: 'Secret' }).waitFor()
    await page.route(`${ORIGIN}/v1/**`, (route) => route.abort('connectionrefused'))
    await page.getByRole('textbox', { name: 'Secret' }).fill(READER)
    await page.keyboard.press('Enter')
    await page.getByText('The server cannot be reached').waitFor()
  })

  mocked('a server that goes away while a page is open, and comes back', async ({ page, mocks }) => {
    await mocks.open('/tokens', mocks.service.managementToken)
    await page.getByRole('link', { name: 'Reader' }).waitFor()
    const refuse = (route: Route) => route.abort('connectionrefused')
    await page.route(`${ORIGIN}/v1/**`, refuse)
    await page.getByRole('link', { name: 'Policies', exact: true }).click()
    await page.getByText('The console keeps trying').waitFor()
    await page.getByRole('alert').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.unroute(`${ORIGIN}/v1/**`, refuse)
    await page.getByRole('link', { name: 'reader' }).waitFor()
    await page.getByText('The console keeps trying').waitFor({ state: 'detached' })
  })
})
