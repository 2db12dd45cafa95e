/** Rights, the key-value browser, the catalog, locks, namespaces and the upgrade, in Chromium against a real server. */
import { describe, expect } from 'vitest'
import { axeViolations, executablePath } from './browser.ts'
import { journey } from './pages.ts'
import { DUMP } from './world.ts'

describe.skipIf(executablePath === undefined)('insight on a real server', () => {
  journey('names the rule that denies, follows a change of it, lists who may', async ({ page, world }) => {
    const Rules = 'key_prefix "vault/" {\n  policy = "deny"\n}\n'
    const policy = await world.client.policies.create({ Name: 'vault-deny', Rules })
    const Policies = [{ Name: 'vault-deny' }]
    const token = await world.client.tokens.create({ Description: 'Keeper of the vault', Policies })
    await world.open(`/ask?kind=key&segment=vault%2Fkey&access=read&token=${token.AccessorID}`)
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByText('key_prefix "vault/" { policy = "deny" }').waitFor()
    await answer.getByRole('heading', { name: 'No' }).waitFor()
    await answer.getByText('key "vault/key" { policy = "read" }').waitFor()
    await world.open(`/ask?kind=key&segment=vault%2F&access=list&token=${token.AccessorID}`)
    await answer.getByText('policy = "list"').waitFor()
    await answer.getByText('Change the rule that denies it').waitFor()
    await world.open(`/ask?kind=key&segment=vault%2Fkey&access=read&token=${token.AccessorID}`)
    await world.client.policies.update(policy.ID, { ...policy, Rules: policy.Rules.replace('deny', 'read') })
    await answer.getByRole('heading', { name: 'Yes' }).waitFor()
    await answer.getByRole('link', { name: 'Who may do this?' }).click()
    await page.getByRole('link', { name: 'Keeper of the vault' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/ui/ask/who')
    const role = await world.client.roles.create({ Name: 'vault-keepers' })
    const Roles = [{ ID: role.ID }]
    await world.client.tokens.create({ Description: 'Second keeper', Roles })
    await world.client.roles.update(role.ID, { Name: role.Name, Policies: [{ ID: policy.ID }] })
    await page.getByRole('link', { name: 'Second keeper' }).waitFor()
  })

  journey('a key that changes elsewhere: what was typed is saved after a choice', async ({ page, world }) => {
    await world.client.kv.put('draft/currency', 'EUR')
    await world.open('/kv')
    await page.getByRole('link', { name: 'draft/' }).click()
    await page.getByRole('link', { name: 'currency' }).click()
    const value = page.getByRole('textbox', { name: 'Value' })
    await value.fill('CHF')
    await world.client.kv.put('draft/currency', 'USD')
    await page.getByText('Changed elsewhere while you edited').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Keep mine' }).click()
    expect(await value.inputValue()).toBe('CHF')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).first().waitFor()
    const stored = await world.client.kv.get('draft/currency')
    expect(atob(stored.Value ?? '')).toBe('CHF')
    await page.getByRole('button', { name: 'Delete key' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: 'currency' }).waitFor()
  })

  journey('opens folders without a name, says what is wrong with a key', async ({ page, world, expect }) => {
    await world.client.kv.put('/unnamed//deep', 'found')
    await world.open('/kv')
    for (const name of ['/', 'unnamed/', '/', 'deep']) {
      await page.getByRole('link', { name, exact: true }).last().click()
    }
    await expect.poll(() => page.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('found')
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Key' }).fill('a/../b')
    await dialog.getByText('cannot be “.” or “..”').waitFor()
    expect(await dialog.getByRole('button', { name: 'Create key' }).isDisabled()).toBe(true)
  })

  journey('follows the health of services, and says which intention decides', async ({ page, world }) => {
    const node = { Node: 'app-9', Address: '10.0.1.19' }
    const check = { CheckID: 'latency', Name: 'Latency', ServiceID: 'search' }
    await world.client.catalog.register({
      ...node,
      Service: { ID: 'search', Service: 'search' },
      Check: { ...check, Status: 'warning' },
    })
    await world.open('/services?q=search')
    await page.getByText('1 warning').waitFor()
    await world.client.catalog.register({
      ...node,
      Check: { ...check, Status: 'critical', Output: 'p99 is 12 s' },
    })
    await page.getByText('1 critical').waitFor()
    await page.getByRole('link', { name: 'search', exact: true }).click()
    await page.getByText('p99 is 12 s').waitFor()
    await page.getByRole('link', { name: 'Who may connect?' }).click()
    await page.getByRole('textbox', { name: 'Source' }).fill('cron')
    await page.getByRole('textbox', { name: 'Destination' }).fill('postgres')
    await page.keyboard.press('Enter')
    await page.getByText('Decided by the intention from * to postgres').waitFor()
    const names = { source: 'cron', destination: 'postgres' }
    await world.client.intentions.writeExact(names, { Action: 'allow' })
    await page.getByText('Decided by the intention from cron to postgres').waitFor()
  })

  journey('follows a session and its keys, and ends it after asking', async ({ page, world, expect }) => {
    const { ID: id } = await world.client.sessions.create({ Name: 'Price import', LockDelay: '90s' })
    for (const key of ['import/leader', 'import/cursor']) await world.client.kv.acquire(key, id)
    await world.open('/kv?in=import%2F&key=import%2Fleader')
    await page.getByRole('link', { name: id }).click()
    await page.getByRole('heading', { name: 'Price import' }).waitFor()
    await page.getByText('1 minute 30 seconds, which acts as 1 minute').waitFor()
    await page.getByRole('link', { name: 'import/cursor' }).waitFor()
    await world.client.kv.acquire('import/extra', id)
    await page.getByRole('link', { name: 'import/extra' }).waitFor()
    await page.getByRole('button', { name: 'End session' }).click()
    await page.getByText('Its keys are released at once').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await world.client.sessions.info(id)).toHaveLength(1)
    await page.getByRole('button', { name: 'End session' }).click()
    await page.keyboard.press('Enter')
    await page.getByText('This session has ended').waitFor()
    expect((await world.client.kv.get('import/leader')).Session).toBeUndefined()
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').click()
    await page.getByText('db-3').waitFor()
    const shown = (name: string) => page.getByRole('link', { name }).count()
    await expect.poll(() => shown('Price import')).toBe(0)
    const { ID } = await world.client.sessions.create({ Name: 'Reindex', Node: 'app-2', Checks: [] })
    await page.getByRole('link', { name: 'Reindex' }).waitFor()
    await world.client.sessions.destroy(ID)
    await expect.poll(() => shown('Reindex')).toBe(0)
  })

  journey('shows the upgrade, and plans one from a dump without its secrets', async ({ page, world }) => {
    await world.open('/upgrade')
    await page.getByText('New ACLs').waitFor()
    await page.getByText('No token has legacy rules').waitFor()
    await page.getByRole('link', { name: 'Plan from a dump' }).click()
    const buffer = Buffer.from(JSON.stringify(DUMP))
    const file = { name: 'acl-list.json', mimeType: 'application/json', buffer }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByText('key_prefix "shop/"').waitFor()
    await page.getByText('The ID of an earlier token').waitFor()
    expect(await page.content()).not.toContain('secret-of-')
  })

  journey('works in another namespace, and makes and deletes one', async ({ page, world }) => {
    await world.open('/tokens')
    await page.getByRole('button', { name: 'Namespace default' }).click()
    await page.getByRole('menuitem', { name: 'team-a' }).waitFor()
    await world.client.namespaces.create({ Name: 'team-new' })
    await page.getByRole('menuitem', { name: 'team-new' }).waitFor()
    await world.client.namespaces.delete('team-new')
    await page.getByRole('menuitem', { name: 'team-new' }).waitFor({ state: 'detached' })
    await page.getByRole('menuitem', { name: 'team-a' }).click()
    await page.getByRole('link', { name: 'Reports of team A' }).waitFor()
    await page.getByRole('link', { name: 'Policies', exact: true }).click()
    await page.getByRole('link', { name: 'team-read' }).waitFor()
    expect(await page.getByRole('link', { name: 'orders-read' }).count()).toBe(0)
    expect(new URL(page.url()).searchParams.get('ns')).toBe('team-a')
    await page.getByRole('link', { name: 'Namespaces' }).click()
    await page.getByRole('button', { name: 'Create namespace' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('team-c')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'team-c' }).waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete namespace' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete namespace' }).click()
    await page.getByRole('link', { name: 'team-b' }).waitFor()
    const names = (await world.client.namespaces.list()).map(({ Name }) => Name)
    expect(names).toEqual(['default', 'team-a', 'team-b'])
  })
})
