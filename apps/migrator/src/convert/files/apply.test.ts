/** Runs the script that applies a conversion, and the one that undoes it, on real servers. */
import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type LegacyToken, parseServiceVersion } from '@latchkey/contract'
import { listenOnFreePort } from '@latchkey/testkit/process/ports'
import { serverMain } from '@latchkey/testkit/process/server-build'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../../../test/io.ts'
import { Cluster } from '../../rehearse/cluster.ts'
import { proveRights } from '../../rehearse/proof/rights.ts'

const folder = temporaryFolder('convert-apply')
const cluster = new Cluster({
  main: serverMain(),
  datacenter: 'dc1',
  defaultPolicy: 'deny',
  managementSecret: randomUUID(),
})
const out = join(folder, 'out')
const PWNED = join(folder, 'pwned')
/** Text that does harm if a shell reads it. */
const HOSTILE = `it's "$(touch ${PWNED})\`touch ${PWNED}\`\n__PLAN__\nEOF\u202e\\n中文`
const COMMON = 'node "" { policy = "read" } agent "" { policy = "read" } session "" { policy = "write" }'
const TOKENS: readonly LegacyToken[] = ['web', 'web', 'db', 'db', HOSTILE, 'nothing'].map((Name, i) => ({
  ID: `10000000-0000-4000-8000-00000000000${i}`,
  Name,
  Type: 'client',
  Rules:
    Name === 'nothing'
      ? '# nothing'
      : `key ${JSON.stringify(`${Name}/`)} { policy = "write" } service ${JSON.stringify(Name)} { policy = "write" } ${COMMON}`,
  CreateIndex: 0,
  ModifyIndex: 0,
}))
/** It cannot be deleted, so an undo keeps its links. */
const ANONYMOUS = {
  ID: 'anonymous',
  Name: 'Anonymous Token',
  Type: 'client',
  Rules: 'key "" { policy = "read" }',
}
const hasTools = ['jq', 'curl'].every((tool) => spawnSync(tool, ['--version']).status === 0)
const client = () => cluster.client(cluster.managementSecret, cluster.urlOf('a'))
const rulesNow = async () =>
  (await client().legacy.list()).filter(({ ID }) => TOKENS.some((token) => token.ID === ID))

/** Sends the signal to the script and its children when it makes this call; of SIGKILL, the call does not arrive. */
interface Stop {
  readonly signal: NodeJS.Signals
  readonly at: RegExp
  readonly times?: number
}

async function runScript(name: string, args: readonly string[] = [], stop?: Stop) {
  const proxy = createServer((from, to) => {
    if (stop?.at.test(`${from.method} ${from.url}`) && ++seen === (stop.times ?? 1)) {
      process.kill(-(child.pid ?? Number.NaN), stop.signal)
      if (stop.signal === 'SIGKILL') return void from.destroy()
    }
    const { method, headers } = from
    const sent = request(`${cluster.urlOf('a')}${from.url}`, { method: method ?? '', headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(to)
    })
    from.pipe(sent)
  })
  let seen = 0
  const LATCHKEY_ADDR = `http://127.0.0.1:${await listenOnFreePort(proxy)}`
  const child = spawn('bash', [join(out, name), ...args], {
    env: { ...process.env, LATCHKEY_ADDR, LATCHKEY_TOKEN: cluster.managementSecret },
    detached: true,
  })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  await new Promise((done) => (child.exitCode === null ? child.once('close', done) : done(undefined)))
  proxy.close()
  expect(stdout + stderr).not.toMatch(/10000000-0000-4000/)
  return { code: child.exitCode, stdout, stderr }
}
const undoScripts = () => readdirSync(out).filter((name) => name.startsWith('undo'))
async function migrated() {
  const done = async () => (await client().tokens.list()).every(({ AccessorID }) => AccessorID !== '')
  await expect.poll(() => done().catch(() => false), { timeout: 60_000 }).toBe(true)
}

beforeAll(async () => {
  await cluster.open()
  await cluster.start('old', { version: parseServiceVersion('1.3.1'), acls: true })
  await cluster.start('a', { version: parseServiceVersion('1.10.12'), acls: true })
  await cluster
    .client(cluster.managementSecret, cluster.urlOf('old'))
    .legacy.import([...TOKENS, { ...ANONYMOUS, Type: 'client', CreateIndex: 1, ModifyIndex: 1 }])
  const dump = join(folder, 'dump.json')
  writeFileSync(dump, JSON.stringify([...TOKENS, ANONYMOUS]))
  expect((await run(['convert', dump, '--out', out])).code).toBe(0)
}, 120_000)
afterAll(() => cluster.close(), 60_000)

test.skipIf(!hasTools)(
  'a conversion gives back no right that was taken after the dump, is undone, and holds at 1.11',
  { timeout: 240_000 },
  async () => {
    // In legacy mode the script says so.
    const early = await runScript('apply.sh')
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('legacy mode')])
    await cluster.end('old', 'SIGQUIT')
    await migrated()

    const [first, second] = TOKENS
    if (first === undefined || second === undefined) throw new Error('no tokens')
    await client().legacy.update({ ...first, Rules: 'key "web/" { policy = "deny" }' })
    const before = await rulesNow()
    const stopped = await runScript('apply.sh')
    expect([stopped.code, stopped.stderr]).toEqual([3, expect.stringContaining('its rules were changed')])
    expect((await client().policies.list()).map(({ Name }) => Name)).toEqual(['global-management'])
    await client().legacy.update(first)

    const checked = await runScript('apply.sh', ['--check'])
    expect([checked.code, checked.stdout]).toEqual([
      0,
      expect.stringContaining('4 policies and roles, 7 tokens'),
    ])
    expect((await rulesNow()).map(({ Rules }) => Rules)).toEqual(
      before.map(({ ID, Rules }) => (ID === first.ID ? first.Rules : Rules)),
    )
    expect(undoScripts()).toEqual([])

    // A signal stops the script between two groups of changes, and a kill at any call. Nothing is lost, and the next run continues.
    const stops: readonly [Stop, number | null, number][] = [
      [{ signal: 'SIGINT', at: /PUT .*\/policy/ }, 130, 6],
      [{ signal: 'SIGKILL', at: /PUT .*\/token/, times: 2 }, null, 5],
      [{ signal: 'SIGTERM', at: /PUT .*\/token/ }, 130, 0],
    ]
    for (const [stop, code, left] of stops) {
      const stopped = await runScript('apply.sh', [], stop)
      expect([stopped.code, (await rulesNow()).filter(({ Rules }) => Rules !== '').length]).toEqual([
        code,
        left,
      ])
    }
    const tokens = await client().tokens.list()
    expect(tokens.filter((token) => token.Legacy)).toEqual([])
    expect(tokens.map(({ Description }) => Description)).toEqual(
      expect.arrayContaining(TOKENS.map(({ Name }) => Name)),
    )
    expect(tokens.filter(({ Policies }) => Policies?.[0]?.Name === 'web')).toHaveLength(2)
    const again = await runScript('apply.sh')
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('0 tokens; 11 done already')])

    const undo = undoScripts()[0] ?? ''
    expect(readFileSync(join(out, undo), 'utf8')).not.toMatch(/10000000-0000-4000/)
    // Killed between the deletion of a token and its creation, it has what is needed to create it.
    const killed = await runScript(undo, [], { signal: 'SIGKILL', at: /PUT .*\/create/, times: 3 })
    expect(killed).toMatchObject({ code: null, stderr: '' })
    const pending = join(out, `${undo}.pending`)
    expect(statSync(pending).mode & 0o777).toBe(0o600)
    expect((await client().tokens.list()).length).toBe(tokens.length - 1)
    const resumed = await runScript(undo)
    expect([resumed.code, resumed.stdout]).toEqual([
      0,
      expect.stringMatching(/created again[\s\S]* 3 tokens; 3 done/),
    ])
    expect(existsSync(pending)).toBe(false)
    await migrated()
    const restored = new Map((await rulesNow()).map((token) => [token.ID, token]))
    for (const { ID, Name, Rules } of TOKENS) expect(restored.get(ID)).toMatchObject({ Name, Rules })
    expect((await runScript(undo)).stdout).toMatch(/keeps its links[\s\S]* 0 tokens; 6 done already/)
    expect((await runScript('apply.sh')).code).toBe(0)

    // Links that were taken since do not come back either.
    const web = (await client().tokens.list()).find(({ Description }) => Description === 'web')
    await client().tokens.update(web?.AccessorID ?? '', { Description: 'web', Policies: [] })
    const revoked = await runScript('apply.sh')
    expect([revoked.code, revoked.stderr]).toEqual([3, expect.stringContaining('its rules were changed')])
    expect((await client().tokens.read(web?.AccessorID ?? '')).Policies ?? []).toEqual([])
    await client().tokens.update(web?.AccessorID ?? '', { Description: 'web', Policies: [{ Name: 'web' }] })

    await cluster.end('a', 'SIGTERM')
    expect(await cluster.start('a', { version: parseServiceVersion('1.11'), acls: true })).toBeUndefined()
    const late = await runScript(undo)
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('no legacy API')])
    const { differences, questions } = await proveRights(cluster, TOKENS, {
      datacenter: 'dc1',
      defaultPolicy: 'deny',
      signal: new AbortController().signal,
    })
    expect(differences).toEqual([])
    expect(questions).toBeGreaterThan(100)
    expect(existsSync(PWNED)).toBe(false)
  },
)
