/** What screenshots show: one line per page or dialog. */
import type { Client } from '@latchkey/sdk'
import type { Page } from 'playwright-core'
import { DUMP } from '../test/world.ts'

interface ShownPage {
  readonly name: string
  /** Below `/ui`. */
  readonly path: string | ((client: Client) => Promise<string>)
  /** Waits for what the page shows last, after it did what leads there. */
  readonly ready: (page: Page) => Promise<unknown>
}

const policyPath = async (client: Client, name: string) =>
  `/policies/${(await client.policies.readByName(name)).ID}`

async function tokenPath(client: Client, description: string): Promise<string> {
  const token = (await client.tokens.list()).find(({ Description }) => Description === description)
  return `/tokens/${token?.AccessorID ?? ''}`
}

async function sessionPath(client: Client, name: string): Promise<string> {
  const session = (await client.sessions.list()).find(({ Name }) => Name === name)
  return `/sessions/${session?.ID ?? ''}`
}

/** Types at the end of the rules. */
async function typeRules(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Rules' }).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(text)
}

const EDITED = 'key "shop/secret" {\npolicy = "deny"\n'

export const PAGES: readonly ShownPage[] = [
  { name: 'home', path: '/', ready: (page) => page.getByText('Expiring soon').waitFor() },
  { name: 'tokens', path: '/tokens', ready: (page) => page.getByText('Web shop, production').waitFor() },
  {
    name: 'ask-denied',
    path: async (client) => {
      const tokens = await client.tokens.list()
      const token = tokens.find(({ Description }) => Description === 'Web shop, staging')?.AccessorID
      return `/ask?${new URLSearchParams({ token: token ?? '', kind: 'key', segment: 'payments/key', access: 'read' })}`
    },
    ready: (page) => page.getByText('Missing right').waitFor(),
  },
  {
    name: 'ask-who',
    path: '/ask/who?kind=key&segment=orders%2F1&access=read',
    ready: (page) => page.getByText('tokens may').waitFor(),
  },
  {
    name: 'kv',
    path: '/kv?in=shop%2F&key=shop%2Ftheme',
    ready: (page) => page.getByText('Times locked').waitFor(),
  },
  {
    name: 'kv-locked',
    path: '/kv?in=orders%2Fexport%2F&key=orders%2Fexport%2Fleader',
    ready: (page) => page.getByText('Held by session').waitFor(),
  },
  { name: 'sessions', path: '/sessions', ready: (page) => page.getByText('Order export').waitFor() },
  {
    name: 'session',
    path: (client) => sessionPath(client, 'Order export'),
    ready: (page) => page.getByRole('link', { name: 'orders/export/leader' }).waitFor(),
  },
  {
    name: 'session-end',
    path: (client) => sessionPath(client, 'Order export'),
    ready: (page) => page.getByRole('button', { name: 'End session' }).click(),
  },
  { name: 'services', path: '/services', ready: (page) => page.getByText('shop-web').first().waitFor() },
  { name: 'service', path: '/services/orders', ready: (page) => page.getByText('HTTP 503').waitFor() },
  { name: 'nodes', path: '/nodes', ready: (page) => page.getByText('db-3').first().waitFor() },
  { name: 'node', path: '/nodes/app-1', ready: (page) => page.getByText('Orders answer').waitFor() },
  {
    name: 'intentions',
    path: '/intentions?source=shop-web&destination=orders',
    ready: (page) => page.getByText('may connect to orders').waitFor(),
  },
  { name: 'upgrade', path: '/upgrade', ready: (page) => page.getByText('No token has').waitFor() },
  {
    name: 'upgrade-running',
    path: '/upgrade',
    ready: async (page) => {
      let done = 30_000
      await page.route('**/v1/internal/acl/migration*', async (route) => {
        done += 128
        const total = 42_000
        const rate = { TokensPerSecond: 127.3, EstimatedSeconds: Math.ceil((total - done) / 128) }
        await route.fulfill({ json: { State: 'running', Done: done, Total: total, Batches: 235, ...rate } })
      })
      await page.getByRole('img', { name: 'Progress: Done 30,896' }).locator('canvas').waitFor()
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    },
  },
  {
    name: 'upgrade-plan',
    path: '/upgrade/plan',
    ready: async (page) => {
      const buffer = Buffer.from(JSON.stringify(DUMP))
      const file = { name: 'acl-list.json', mimeType: 'application/json', buffer }
      await page.locator('input[type=file]').setInputFiles(file)
      await page.getByText('As a policy').first().waitFor()
    },
  },
  {
    name: 'datacenters',
    path: '/datacenters',
    ready: (page) => page.getByText('does not replicate from').waitFor(),
  },
  { name: 'login-methods', path: '/login-methods', ready: (page) => page.getByText('jwt').first().waitFor() },
  {
    name: 'login-method',
    path: '/login-methods/ci',
    ready: async (page) => {
      await page.getByLabel('Claims of the credential').fill('{ "project": "shop", "sub": "build-17" }')
      await page.getByRole('button', { name: 'Test these claims' }).click()
      await page.getByText('The login would succeed').waitFor()
    },
  },
  {
    name: 'login-method-edit',
    path: '/login-methods/ci',
    ready: (page) => page.getByRole('button', { name: 'Edit login method' }).click(),
  },
  { name: 'namespaces', path: '/namespaces', ready: (page) => page.getByText('team-b').waitFor() },
  { name: 'namespace', path: '/namespaces/team-a', ready: (page) => page.getByText('Contents').waitFor() },
  {
    name: 'namespace-edit',
    path: '/namespaces/team-a',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Edit namespace' }).click()
      await page.getByRole('button', { name: 'Remove team-read' }).waitFor()
    },
  },
  {
    name: 'namespace-switcher',
    path: '/tokens?ns=team-a',
    ready: async (page) => {
      await page.getByText('Reports of team A').waitFor()
      const open = page.getByRole('button', { name: 'Open navigation' })
      if (await open.isVisible()) await open.click()
      await page.getByRole('button', { name: 'Namespace team-a' }).last().click()
      await page.getByRole('menuitem', { name: 'team-b' }).waitFor()
    },
  },
  { name: 'kv-root', path: '/kv', ready: (page) => page.getByText('deploys/').waitFor() },
  {
    name: 'tokens-none',
    path: '/tokens?q=nothing',
    ready: (page) => page.getByText('No token matches').waitFor(),
  },
  {
    name: 'tokens-filter',
    path: '/tokens',
    ready: async (page) => {
      await page.getByText('Web shop, production').waitFor()
      await page.getByRole('button', { name: 'Policy' }).click()
      await page.getByRole('option', { name: 'deploy' }).waitFor()
    },
  },
  {
    name: 'token',
    path: (client) => tokenPath(client, 'Web shop, staging'),
    ready: (page) => page.getByText('payments/').waitFor(),
  },
  { name: 'token-create', path: '/tokens?create=true', ready: (page) => page.getByRole('dialog').waitFor() },
  {
    name: 'token-created',
    path: '/tokens?create=true',
    ready: async (page) => {
      await page.getByLabel('Description').fill('Search index')
      await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
      await page.getByText('The token is ready').waitFor()
    },
  },
  {
    name: 'token-edit',
    path: (client) => tokenPath(client, 'Web shop, staging'),
    ready: (page) => page.getByRole('button', { name: 'Edit token' }).click(),
  },
  { name: 'policies', path: '/policies', ready: (page) => page.getByText('orders-read').waitFor() },
  {
    name: 'policy',
    path: (client) => policyPath(client, 'shop-web'),
    ready: async (page) => {
      await page.getByText('No findings').waitFor()
      await page.getByRole('link', { name: 'shop', exact: true }).waitFor()
    },
  },
  {
    name: 'policy-findings',
    path: (client) => policyPath(client, 'shop-web'),
    ready: async (page) => {
      await page.getByText('No findings').waitFor()
      await typeRules(page, 'key "shop/*" {\npolicy = "WRITE"\n')
      await page.getByRole('list', { name: 'Findings' }).waitFor()
    },
  },
  {
    name: 'policy-complete',
    path: '/policies/new',
    ready: async (page) => {
      await page.getByText('No findings').waitFor()
      await typeRules(page, 'ser')
      await page.getByRole('option', { name: 'service_prefix' }).waitFor()
    },
  },
  {
    name: 'policy-save',
    path: (client) => policyPath(client, 'shop-web'),
    ready: async (page) => {
      await page.getByText('No findings').waitFor()
      await typeRules(page, EDITED)
      await page.getByRole('button', { name: 'Review and save' }).click()
      await page.getByText('gain or lose rights').waitFor()
    },
  },
  { name: 'roles', path: '/roles', ready: (page) => page.getByText('on-call').waitFor() },
  {
    name: 'role',
    path: async (client) => `/roles/${(await client.roles.readByName('shop')).ID}`,
    ready: (page) => page.getByText('Web shop, production').waitFor(),
  },
  { name: 'not-found', path: '/nowhere', ready: (page) => page.getByText('Page not found').waitFor() },
  {
    name: 'palette',
    path: '/tokens',
    ready: async (page) => {
      await page.getByText('Web shop, production').waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').waitFor()
    },
  },
]
