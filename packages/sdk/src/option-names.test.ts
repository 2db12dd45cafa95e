import { expect, test } from 'vitest'
import { beginLogin, completeLogin } from './browser-login/browser.ts'
import { loginThroughBrowser } from './browser-login/node.ts'
import { createClient } from './client.ts'
import { requireAccess as expressAccess } from './guard/express.ts'
import { requireAccess as fastifyAccess } from './guard/fastify.ts'
import { requireAccess as honoAccess } from './guard/hono.ts'

const ADDRESS = 'http://latchkey.invalid'
const SENT = new Error('sent')

/** A client whose calls fail once they are sent. */
const client = createClient({ address: ADDRESS, env: false, retries: 0, fetch: () => Promise.reject(SENT) })

const store = { getItem: () => null, setItem: () => {}, removeItem: () => {} }
const id = '00000000-0000-4000-8000-000000000001'
const tags = ['a']
const nodeMeta = ['rack:1']

// biome-ignore lint/suspicious/noExplicitAny: the names are wrong on purpose.
type Bag = any

/**
 * What takes options, with all options that only it has. Of the methods whose query and names the generator writes from
 * one list, one of each form.
 */
const BAGS: readonly (readonly [string, (options: Bag) => unknown, object])[] = [
  ['authorize', (o) => client.authorize([], o), { explain: true, accessor: id }],
  ['whoCan', (o) => client.whoCan({ Resource: 'acl', Access: 'read' }, o), { limit: 2, cursor: 'c' }],
  ['login', (o) => client.login(o), { method: 'ci', bearerToken: 'x', getCredential: () => 'x', meta: {} }],
  ['logout', (o) => client.logout(o), {}],
  ['tokens.read', (o) => client.tokens.read(id, o), { expanded: true }],
  ['tokens.list', (o) => client.tokens.list({}, o), { limit: 2, cursor: 'c' }],
  [
    'tokens.list, filter',
    (o) => client.tokens.list(o),
    { policy: id, servicename: 'web', sort: 'CreateIndex' },
  ],
  ['tokens.each', (o) => client.tokens.each({}, o).next(), { limit: 2, cursor: 'c' }],
  ['tokens.watch', (o) => client.tokens.watch(id, { ...o, retries: 0 }).next(), {}],
  ['tokens.watchList', (o) => client.tokens.watchList({}, { ...o, retries: 0 }).next(), {}],
  ['policies.ensure', (o) => client.policies.ensure({ Name: 'x' }, o), {}],
  ['policies.each', (o) => client.policies.each(o).next(), {}],
  ['authMethods.create', (o) => client.authMethods.create({} as Bag, o), { check: false }],
  ['bindingRules.list, filter', (o) => client.bindingRules.list(o), { authmethod: 'ci' }],
  [
    'oidc.authUrl',
    (o) => client.oidc.authUrl(o),
    { method: 'm', redirectUri: 'u', clientNonce: 'n', meta: {} },
  ],
  [
    'oidc.callback',
    (o) => client.oidc.callback(o),
    { method: 'm', state: 's', code: 'c', iss: 'i', clientNonce: 'n' },
  ],
  ['kv.keys', (o) => client.kv.keys('', o), { separator: '/', session: id }],
  ['kv.deleteTree', (o) => client.kv.deleteTree('a', o), {}],
  ['kv.acquire', (o) => client.kv.acquire('a', id, o), { value: 'x', flags: 2 }],
  [
    'kv.watchKeys',
    (o) => client.kv.watchKeys('', { ...o, retries: 0 }).next(),
    { separator: '/', session: id },
  ],
  ['txn.apply', (o) => client.txn.apply([], o), {}],
  [
    'locks.tryAcquire',
    (o) => client.locks.tryAcquire('a', o),
    { value: '', flags: 1, ttl: 10_000, lockDelay: 0, session: {} },
  ],
  [
    'catalog.nodes, filter',
    (o) => client.catalog.nodes(o),
    { near: 'n', 'node-meta': nodeMeta, filter: 'f' },
  ],
  ['catalog.service, filter', (o) => client.catalog.service('web', o), { near: 'n', tag: tags, filter: 'f' }],
  [
    'health.service',
    (o) => client.health.service('web', o),
    { near: 'n', nodeMeta, filter: 'f', tags, passing: true },
  ],
  ['intentions.list, filter', (o) => client.intentions.list(o), { filter: 'f' }],
  ['configEntries.write', (o) => client.configEntries.write({} as Bag, o), { cas: 1 }],
  [
    'agent.registerService',
    (o) => client.agent.registerService({} as Bag, o),
    { replaceExistingChecks: true },
  ],
  [
    'status.changes',
    (o) => client.status.changes(o),
    { cluster: 'c', cursor: 'c', staged: true, reader: 'r' },
  ],
  ['status.promote', (o) => client.status.promote('dc2', o), { force: true }],
  ['status.versionChanges, range', (o) => client.status.versionChanges(o), { from: '1.4.0', to: '1.5.0' }],
  ['snapshots.restore', (o) => client.snapshots.restore(new Uint8Array(), o), { unauthenticated: true }],
  [
    'beginLogin',
    (o) => beginLogin(client, { method: 'm', redirectUri: 'u', store, ...o }),
    { navigate: () => {}, meta: {} },
  ],
  [
    'loginThroughBrowser',
    (o) =>
      loginThroughBrowser(client, {
        method: 'm',
        redirectUris: ['http://127.0.0.1:0/x'],
        open: () => {},
        ...o,
      }),
    { wait: 1, meta: {} },
  ],
]

async function outcomeOf(act: () => unknown): Promise<unknown> {
  try {
    return await act()
  } catch (error) {
    return error
  }
}

test.each(BAGS)('%s takes each of its options, and refuses it misspelt', async (_, act, options) => {
  expect(await outcomeOf(() => act(options))).toMatchObject({ kind: 'unavailable' })
  for (const [name, value] of Object.entries(options)) {
    const { [name]: _, ...others } = options as Record<string, unknown>
    const error = await outcomeOf(() => act({ ...others, [`${name}x`]: value }))
    expect(error).toBeInstanceOf(TypeError)
    if (name.length > 2)
      expect(error).toHaveProperty('message', expect.stringContaining(`did you mean ${name}?`))
  }
})

test.each(BAGS.filter(([name]) => !/, |watch/i.test(name)))(
  '%s refuses a misspelt option of every call, before it sends anything',
  async (_, act, options) => {
    const error = await outcomeOf(() => act({ ...options, sigal: undefined }))
    expect(error).toEqual(new TypeError('there is no option named "sigal"; did you mean signal?'))
  },
)

test('createClient refuses a misspelt option with the nearest one', () => {
  const options: Bag = { address: ADDRESS, env: false, tokn: 'hush' }
  expect(() => createClient(options)).toThrow(
    new TypeError('there is no option named "tokn"; did you mean token?'),
  )
})

test('a watch refuses a misspelt option', async () => {
  const options: Bag = { retrys: 0 }
  await expect(client.policies.watchList(options).next()).rejects.toThrow('did you mean retries?')
})

test('a delete of a tree refuses a condition, which it would ignore', async () => {
  const options: Bag = { cas: 7 }
  await expect(client.kv.deleteTree('web/', options)).rejects.toThrow(TypeError)
})

test('the operations of a transaction refuse misspelt options', () => {
  const options: Bag = { flag: 1 }
  const begun = client.txn.begin()
  expect(() => begun.set('a', 'b', options)).toThrow('did you mean flags?')
  expect(() => begun.cas('a', 1, 'b', options)).toThrow('did you mean flags?')
})

test.each<Bag>([expressAccess, fastifyAccess, honoAccess])(
  'a middleware refuses a misspelt segment, without which a route would check another right',
  (requireAccess) => {
    const options: Bag = { resource: 'key', segmnt: 'a', access: 'read' }
    expect(() => requireAccess(client, options)).toThrow('did you mean segment?')
  },
)

test('completeLogin refuses a misspelt option', async () => {
  const options: Bag = { stor: store, url: 'http://page.test/' }
  await expect(completeLogin(client, options)).rejects.toThrow('did you mean store?')
})
