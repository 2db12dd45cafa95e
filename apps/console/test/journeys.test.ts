/** What people come to do, in Chromium against a real server. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { valueText } from '@latchkey/sdk'
import type { Locator, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { axeViolations, executablePath } from './browser.ts'
import { journey } from './pages.ts'
import { SECRET } from './world.ts'

/** What the first page loads, compressed with gzip; browsers that take brotli load less. */
const FIRST_PAGE_BYTES_MAX = 250_000

/** The size of a file of the build as it travels; fonts and the like are compressed already. */
function gzippedBytes(url: string): number {
  const file = join(import.meta.dirname, '../dist', new URL(url).pathname.replace('/ui/', ''))
  return statSync(existsSync(`${file}.gz`) ? `${file}.gz` : file).size
}

const RULES = 'key_prefix "shop/" {\n  policy = "write"\n}\n'

/** More elements than any page has in the order of Tab. */
const TABS_MAX = 100

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let tabs = 0; tabs < TABS_MAX; tabs += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${target}`)
}

describe.skipIf(executablePath === undefined)('the console on a real server', () => {
  journey('signs in by keyboard, and keeps the filter in the address', async ({ page, world, expect }) => {
    await page.goto(`${world.url}/ui/tokens`)
    await page.getByRole('textbox', { name: 'Secret' }).waitFor()
    const files = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
    const bytes = files.reduce((sum, file) => sum + gzippedBytes(file), 0)
    expect(bytes).toBeGreaterThan(FIRST_PAGE_BYTES_MAX / 10)
    expect(bytes).toBeLessThan(FIRST_PAGE_BYTES_MAX)
    await page.keyboard.type('11111111-2222-4333-8444-555555555555')
    await page.keyboard.press('Enter')
    await page.getByText('The server does not know this secret').waitFor()
    await page.getByRole('textbox', { name: 'Secret' }).fill(SECRET)
    await page.keyboard.press('Enter')
    await page.getByRole('searchbox').fill('shop prod')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    expect(new URL(page.url()).searchParams.get('q')).toBe('shop prod')
    expect(page.url()).not.toContain(SECRET)
    expect(await page.content()).not.toContain(SECRET)
  })

  journey('by keyboard: a token, copied unseen, edited, deleted, brought back', async ({ page, world }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await world.open('/')
    const { keyboard } = page
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const choose = async (name: string) => {
      await tabTo(page, button(name))
      await keyboard.press('Enter')
    }
    await keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Command palette' }).waitFor()
    await keyboard.type('create token')
    await keyboard.press('Enter')
    await page.getByLabel('Description').waitFor()
    await keyboard.type('Search index')
    await choose('Add to policies')
    await page.getByRole('option', { name: 'orders-read' }).waitFor()
    await keyboard.type('orders-read')
    await keyboard.press('Enter')
    await button('Remove orders-read').waitFor()
    await choose('Create token')
    await choose('Copy secret')
    await page.getByText('Copied').first().waitFor()
    const secret = await page.evaluate(() => navigator.clipboard.readText())
    const made = await world.client.withToken(secret).tokens.self()
    expect([made.Description, made.Policies?.[0]?.Name]).toEqual(['Search index', 'orders-read'])
    expect(await page.content()).not.toContain(secret)
    await choose('Open token')
    await page.getByText('orders/', { exact: true }).waitFor()

    await choose('Edit token')
    await page.getByLabel('Description').waitFor()
    await keyboard.press('Control+a')
    await keyboard.type('Search index, staging')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Search index, staging' }).waitFor()

    await choose('More actions')
    const focused = page.locator(':focus')
    await page.getByRole('menuitem', { name: 'Clone token' }).and(focused).waitFor()
    await keyboard.press('End')
    await page.getByRole('menuitem', { name: 'Delete token' }).and(focused).waitFor()
    await keyboard.press('Enter')
    await button('Undo').waitFor()
    await expect(world.client.withToken(secret).tokens.self()).rejects.toMatchObject({
      code: 'caller_unknown',
    })
    // The key with which screen readers reach notifications.
    await keyboard.press('F8')
    await choose('Undo')
    await page.getByText('works again').first().waitFor()
    expect((await world.client.withToken(secret).tokens.self()).AccessorID).toBe(made.AccessorID)
  })

  journey('a policy is edited with findings, its effect shown, and saved', async ({ page, world }) => {
    const Rules = RULES.replace('write', 'read')
    const { ID } = await world.client.policies.create({ Name: 'search-web', Rules })
    for (const Description of ['Search', 'Search, staging']) {
      await world.client.tokens.create({ Description, Policies: [{ ID }] })
    }
    await world.open(`/policies/${ID}`)
    await page.getByText('No findings').waitFor()
    const rules = page.getByRole('textbox', { name: 'Rules' })
    await rules.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.insertText('key "shop/*" {\n  policy = "deny"\n}\n')
    await page.getByText('* is an ordinary character here').waitFor()
    await page.keyboard.press('Control+a')
    // Chromium itself styles text that takes the place of other text, which the policy of the page prevents.
    await page.keyboard.press('Delete')
    await page.keyboard.insertText(RULES)
    await page.getByText('No findings').waitFor()
    await page.getByRole('button', { name: 'Review and save' }).click()
    await page.getByText('2 tokens gain or lose rights').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Save policy' }).click()
    await page.getByText('Saved “search-web”').first().waitFor()
    expect((await world.client.policies.read(ID)).Rules).toBe(RULES)
    await page.getByRole('textbox', { name: 'Description' }).fill('Kept')
    await world.client.policies.delete(ID)
    await page.getByText('Somebody else deleted this record').waitFor()
    await page.getByRole('button', { name: 'Create again' }).click()
    await page.getByText('Created “search-web”').first().waitFor()
    expect((await world.client.policies.readByName('search-web')).Description).toBe('Kept')
  })

  journey('a change made elsewhere while somebody types is shown beside theirs', async ({ page, world }) => {
    const { roles, authMethods, bindingRules, intentions } = world.client
    const { Type, Config } = await authMethods.read('ci')
    const method = { Name: 'typing', Type, Config, Description: 'Before' }
    const names = { source: 'typist', destination: 'printer' }
    const [role, rule] = await Promise.all([
      roles.create({ Name: 'typists', Description: 'Before' }),
      bindingRules.create({
        AuthMethod: 'ci',
        BindType: 'service',
        BindName: 'typist',
        Selector: 'value.project == "typing"',
        Description: 'Before',
      }),
      intentions.create({ SourceName: 'typist', DestinationName: 'printer', Action: 'allow' }),
      authMethods.create(method),
    ])
    const button = (name: string) => page.getByRole('button', { name })
    const typist = page.getByRole('link', { name: 'typist' })
    const theirs = { Action: 'deny', Description: 'Theirs' }
    const edited = [
      [
        `/roles/${role.ID}`,
        button('Edit role'),
        () => roles.update(role.ID, { Name: 'typists', Description: 'Theirs' }),
        () => roles.read(role.ID),
      ],
      [
        '/login-methods/typing',
        button('Edit login method'),
        () => authMethods.update('typing', { ...method, Description: 'Theirs' }),
        () => authMethods.read('typing'),
      ],
      [
        '/login-methods/ci',
        button('Edit the rule for typist'),
        () => bindingRules.update(rule.ID, { ...rule, Description: 'Theirs' }),
        () => bindingRules.read(rule.ID),
      ],
      [
        '/intentions?q=typist',
        typist,
        () => intentions.writeExact(names, theirs),
        () => intentions.readExact(names),
      ],
    ] as const
    await world.open('/')
    for (const [path, form, write, read] of edited) {
      await world.go(path)
      await form.click()
      await page.getByRole('textbox', { name: 'Description' }).fill('Mine')
      await write()
      await page.getByText('When you save, you will see both versions').waitFor()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: 'Somebody else changed this record' }).waitFor()
      await page.getByText('Theirs', { exact: true }).last().waitFor()
      await page.getByRole('button', { name: 'Continue with mine' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect((await read()).Description).toBe('Mine')
    }
    await typist.click()
    await page.getByRole('textbox', { name: 'Description' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const deleted = [
      [
        `/roles/${role.ID}`,
        button('Edit role'),
        () => roles.delete(role.ID),
        () => roles.readByName('typists'),
      ],
      [
        '/intentions?q=typist',
        typist,
        () => intentions.deleteExact(names),
        () => intentions.readExact(names),
      ],
    ] as const
    for (const [path, form, remove, read] of deleted) {
      await world.go(path)
      await form.click()
      await page.getByRole('textbox', { name: 'Description' }).fill('Kept')
      await remove()
      await page.getByText('Somebody else deleted this record').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('heading', { name: 'Discard changes?' }).waitFor()
      expect(await axeViolations(page)).toEqual([])
      await page.getByRole('button', { name: 'Keep editing' }).click()
      await page.getByRole('button', { name: 'Create again' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect((await read()).Description).toBe('Kept')
    }
  })

  journey('a dialog that closes gives the focus back to what opened it', async ({ page, world }) => {
    const { ID } = await world.client.roles.create({ Name: 'focus' })
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const focused = page.locator(':focus')
    const closed = async (opener: Locator) => {
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await opener.and(focused).waitFor()
    }
    await world.open('/roles')
    await button('Create role').press('Enter')
    const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' })
    await name.fill('typed')
    await page.keyboard.press('Escape')
    await button('Keep editing').press('Enter')
    await name.and(focused).waitFor()
    await page.keyboard.press('Escape')
    await button('Discard').press('Enter')
    await closed(button('Create role'))
    await button('Jump to… Ctrl K').press('Enter')
    await page.getByRole('combobox', { name: 'Command palette' }).waitFor()
    await page.keyboard.press('Escape')
    await closed(button('Jump to… Ctrl K'))
    await world.go(`/roles/${ID}`)
    await button('More actions').press('Enter')
    await page.getByRole('menuitem', { name: 'Delete role' }).press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await closed(button('More actions'))
    await page.setViewportSize({ width: 390, height: 800 })
    await button('Open navigation').press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await closed(button('Open navigation'))
  })

  journey('two clicks on a button that creates make one token', async ({ page, world }) => {
    await world.open('/tokens?create=true')
    await page.getByLabel('Description').fill('Clicked twice')
    await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).dblclick()
    await page.getByText('The token is ready').waitFor()
    await page.getByRole('button', { name: 'Open token' }).click()
    await page.getByRole('heading', { name: 'Clicked twice' }).waitFor()
    const made = (await world.client.tokens.list()).map(({ Description }) => Description)
    expect(made.filter((each) => each === 'Clicked twice')).toHaveLength(1)
  })

  journey('a form and a shown secret of one token do not stay over another one', async ({ page, world }) => {
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const heading = (name: string) => page.getByRole('heading', { name, exact: true, level: 1 })
    const [first, second] = await Promise.all([
      world.client.tokens.create({ Description: 'Seen first' }),
      world.client.tokens.create({ Description: 'Seen second' }),
    ])
    await world.open(`/tokens/${second.AccessorID}`)
    await heading('Seen second').waitFor()
    await world.go(`/tokens/${first.AccessorID}`)
    await heading('Seen first').waitFor()
    await button('Show secret').click()
    await page.getByText(first.SecretID).waitFor()
    await world.go(`/tokens/${second.AccessorID}`)
    await heading('Seen second').waitFor()
    expect(await page.getByText(first.SecretID).count()).toBe(0)
    await button('Edit token').click()
    await page.getByRole('dialog').waitFor()
    await page.goBack()
    // Not by role: behind an open dialog, the page is hidden from assistive technology.
    await page.locator('h1', { hasText: 'Seen first' }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  journey('a policy that is not saved is left after a question', async ({ page, world }) => {
    await world.open('/policies/new')
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('typed')
    await page.getByRole('link', { name: 'Roles', exact: true }).click()
    await page.getByRole('heading', { name: 'Discard changes?' }).waitFor()
    await page.getByRole('button', { name: 'Keep editing' }).click()
    expect(await name.inputValue()).toBe('typed')
    await page.getByRole('link', { name: 'Roles', exact: true }).click()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('heading', { name: 'Roles' }).waitFor()
    const { ID } = await world.client.policies.readByName('orders-read')
    await world.go(`/policies/${ID}`)
    await page.getByRole('textbox', { name: 'Description' }).fill('typed')
    await page.getByRole('link', { name: 'Tokens', exact: true }).click()
    await page.getByRole('button', { name: 'Discard' }).last().click()
    await page.getByRole('heading', { name: 'Tokens', exact: true }).waitFor()
  })

  journey('Back, and another key, ask before they take away what was typed', async ({ page, world }) => {
    const discard = page.getByRole('heading', { name: 'Discard changes?' })
    const choose = (name: string) => page.getByRole('button', { name, exact: true }).last().click()
    await Promise.all(['a', 'b'].map((name) => world.client.kv.put(`leaving/${name}`, name)))
    await world.open('/')
    await page.getByRole('link', { name: 'Create a role' }).click()
    const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' })
    await name.fill('typed')
    await page.keyboard.press('Control+k')
    await page.goBack()
    await discard.waitFor()
    await choose('Keep editing')
    expect(await name.inputValue()).toBe('typed')
    expect(await page.getByRole('combobox', { name: 'Command palette' }).count()).toBe(0)
    await page.goBack()
    await choose('Discard')
    await page.getByRole('heading', { name: 'Newest' }).waitFor()
    await world.go('/kv?in=leaving%2F&key=leaving%2Fa')
    const value = page.getByRole('textbox', { name: 'Value' })
    await value.fill('mine')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Key' }).fill('leaving/c')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    await discard.waitFor()
    await choose('Keep editing')
    expect(await value.inputValue()).toBe('mine')
    await page.getByRole('link', { name: 'b', exact: true }).click()
    await discard.waitFor()
    expect(await axeViolations(page)).toEqual([])
    await choose('Discard')
    await page.getByRole('heading', { name: 'leaving/b' }).waitFor()
    expect(await value.inputValue()).toBe('b')
  })

  journey('a value that somebody types stays when its key is deleted elsewhere', async ({ page, world }) => {
    await world.client.kv.put('typing/value', 'before')
    await world.open('/kv?in=typing%2F&key=typing%2Fvalue')
    const value = page.getByRole('textbox', { name: 'Value' })
    await value.fill('mine')
    await world.client.kv.delete('typing/value')
    await page.getByText('Somebody else deleted this record').waitFor()
    expect(await value.inputValue()).toBe('mine')
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Create again' }).click()
    await page.getByText('Somebody else deleted this record').waitFor({ state: 'detached' })
    await page.getByText('Times locked').waitFor()
    expect(valueText(await world.client.kv.get('typing/value'))).toBe('mine')
  })

  journey('names of roles and policies may be as long as the form says', async ({ page, world }) => {
    for (const [path, create] of [
      ['/roles', 'Create role'],
      ['/policies/new', undefined],
    ] as const) {
      await (path === '/roles' ? world.open(path) : world.go(path))
      if (create) await page.getByRole('button', { name: create }).click()
      const name = page.getByRole('textbox', { name: 'Name' })
      const hint = await page.getByText(/At most \d+ characters/).textContent()
      const bound = Number(/\d+/.exec(hint ?? '')?.[0])
      const submit = page.getByRole('button', { name: /^Create (role|policy)$/ }).last()
      await name.fill('n'.repeat(bound + 1))
      await submit.click()
      await page.getByText(`allowed, at most ${bound}`).waitFor()
      await name.fill('n'.repeat(bound))
      await submit.click()
      await page.getByRole('heading', { name: 'n'.repeat(bound) }).waitFor()
    }
  })

  journey('a word without an end breaks, and widens no page', async ({ page, world }) => {
    const word = 'w'.repeat(200)
    const { ID } = await world.client.roles.create({ Name: 'wide', Description: word })
    const { AccessorID } = await world.client.tokens.create({ Description: word })
    const NodeMeta = { ['k'.repeat(100)]: word }
    await world.client.catalog.register({
      ...{ Node: 'wide', Address: '10.0.9.9', NodeMeta },
      Service: { ID: word, Service: 'wide' },
    })
    await page.setViewportSize({ width: 390, height: 800 })
    await world.open('/')
    for (const [path, last] of [
      [`/roles/${ID}`, page.getByRole('heading', { name: 'Grants' })],
      ['/nodes/wide', page.getByText('k'.repeat(100))],
      ['/services/wide', page.getByRole('heading', { name: word })],
      [`/ask?token=${AccessorID}&kind=key&segment=${word}&access=read`, page.getByText('Missing right')],
      [`/intentions?source=${word}&destination=b`, page.locator('.connection-answer')],
    ] as const) {
      await world.go(path)
      await last.waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(390)
    }
  })

  journey('a token that is made elsewhere appears without a reload', async ({ page, world }) => {
    await world.open('/tokens')
    await page.getByText('Web shop, production').waitFor()
    await world.client.tokens.create({ Description: 'Made elsewhere' })
    await page.getByText('Made elsewhere').waitFor()
    await world.go('/')
    await page.getByText('Newest tokens').waitFor()
    const { ID, Name } = await world.client.policies.create({ Name: 'fresh', Rules: 'acl = "read"' })
    await world.client.tokens.create({ Description: 'Also elsewhere', Policies: [{ Name }] })
    await page.getByRole('link', { name: 'Also elsewhere' }).click()
    await page.getByText('Access control', { exact: true }).waitFor()
    await world.client.policies.update(ID, { Name, Rules: 'operator = "read"' })
    await page.getByText('Operator', { exact: true }).waitFor()
    await world.go(`/policies/${ID}`)
    await page.getByRole('link', { name: 'Also elsewhere' }).waitFor()
    await world.client.roles.create({ Name: 'fresh-role', Policies: [{ ID }] })
    await page.getByRole('link', { name: 'fresh-role' }).waitFor()
  })
})
