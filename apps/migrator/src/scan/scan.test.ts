import { readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { afterEach, describe, expect, test } from 'vitest'
import { fileWriter } from '../../test/files.ts'
import { run } from '../../test/io.ts'
import {
  type LegacyCluster,
  type Override,
  SECRET,
  startLegacyCluster,
  TOKEN,
} from '../../test/scan/legacy-cluster.ts'

const directory = temporaryFolder('migrator-scan')
const clusters: LegacyCluster[] = []

afterEach(() => {
  for (const { server } of clusters.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function cluster(override?: Override): Promise<LegacyCluster> {
  const started = await startLegacyCluster(override)
  clusters.push(started)
  return started
}

const file = fileWriter(directory)

function answer(response: ServerResponse, status: number, body = ''): true {
  response.writeHead(status).end(body)
  return true
}

const env = { CONSUL_HTTP_TOKEN: TOKEN }

describe('what a legacy cluster tells', () => {
  test('versions, modes, leaders, replication and tokens of every datacenter, with reads alone', async () => {
    const { url, seen } = await cluster()
    const { code, stdout, stderr } = await run(['scan', '--from', url, '--json'], { env })
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({
      address: url,
      agentVersion: { text: '1.3.1' },
      primary: 'east',
      defaultPolicy: 'allow',
      connect: false,
      datacenters: [
        {
          name: 'east',
          leader: 's2',
          members: [
            { name: 's1', isServer: true, version: { text: '1.3.1' }, mode: 'unknown', status: 'alive' },
            { name: 's2' },
            { name: 's3', version: { text: '1.2.3' }, status: 'failed' },
            { name: 'web 1', isServer: false },
          ],
        },
        {
          name: 'west',
          leader: 's1',
          members: [{ name: 's1', version: { text: '1.2.3' } }],
          replication: { enabled: true, running: true, source: 'east' },
        },
      ],
      tokens: { total: 3, client: 2, management: 1, withRules: 1, withAccessor: 0 },
      unread: [],
    })
    expect(seen.filter((each) => !each.startsWith('GET '))).toEqual([])
    expect(seen.filter((each) => each.includes('bootstrap'))).toEqual([])
    expect(stdout).not.toContain(SECRET)
  })

  test('SEC-01: --save writes a scenario and a dump without secrets, which simulate takes', async () => {
    const { url } = await cluster()
    const folder = join(directory, 'saved')
    const { code, stdout, stderr } = await run(['scan', '--from', url, '--save', folder], { env })
    expect(code).toBe(0)
    expect(stdout).toContain('s3: 1.2.3, before 1.4.0, or unknown, failed')
    expect(readdirSync(folder).sort()).toEqual(['scenario.yaml', 'tokens.ndjson'])
    const scenario = join(folder, 'scenario.yaml')
    const dump = join(folder, 'tokens.ndjson')
    for (const text of [stdout, stderr, readFileSync(scenario, 'utf8'), readFileSync(dump, 'utf8')])
      expect(text).not.toContain(SECRET)
    const simulated = JSON.parse((await run(['simulate', scenario, '--dump', dump, '--json'])).stdout)
    expect(simulated.servers).toMatchObject({
      s1: { version: '1.4.0' },
      s2: {},
      's1-2': { datacenter: 'west' },
    })
    // The dead server keeps the cluster in legacy mode, so that no token gets an accessor.
    expect(simulated.migration.east).toMatchObject({ tokens: 0, remaining: 3 })
    expect(JSON.stringify(simulated.findings)).toContain('s3')
    // Findings show the hashes of the real IDs.
    const real = file('real.json', JSON.stringify([{ ID: `${SECRET}-1`, Type: 'root' }]))
    const shared = file('shared.json', readFileSync(dump, 'utf8').replaceAll('"client"', '"root"'))
    const hashes = async (path: string) =>
      JSON.parse((await run(['plan', path, '--json'])).stdout).findings[0].tokens.map(
        ({ idHash }: { idHash: string }) => idHash,
      )
    expect(await hashes(shared)).toContain((await hashes(real))[0])
  })

  test('what the token may not read is named, and the rest is there', async () => {
    const { url } = await cluster()
    const { code, stdout } = await run(['scan', '--from', url])
    expect(code).toBe(1)
    expect(stdout).toContain('s2: 1.3.1, before 1.4.0, or unknown, leader')
    expect(stdout).toContain('Tokens\n  could not be read')
    expect(stdout).toContain('the agent itself (/v1/agent/self): 403: the token may not read this')
    expect(stdout).toContain('the tokens (/v1/acl/list): 403: the token may not read this')
    const folder = join(directory, 'without-tokens')
    const saved = await run(['scan', '--from', url, '--save', folder])
    expect([saved.code, readdirSync(folder)]).toEqual([1, ['scenario.yaml']])
  })

  test('endpoints that a version has not are named, and an answer in another form is', async () => {
    const { url } = await cluster(({ url: path }, response) => {
      if (path === '/v1/acl/replication') return answer(response, 404)
      if (path === '/v1/catalog/datacenters') return answer(response, 200, '{"not":"a list"}')
      return undefined
    })
    const { code, stdout } = await run(['scan', '--from', url], { env })
    expect(code).toBe(0)
    expect(stdout).toContain(
      'the replication of east (/v1/acl/replication): 404: this version has no such endpoint',
    )
    expect(stdout).toContain(
      'the datacenters (/v1/catalog/datacenters): the answer has another form than expected',
    )
    expect(stdout).toContain('3 tokens without an accessor')
  })
})

describe('plan --from', () => {
  test('plans for the cluster as it is: its servers, its version, its tokens', async () => {
    const { url } = await cluster()
    const { code, stdout, stderr } = await run(['plan', '--from', url, '--json'], { env })
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({
      scenario: 'from 1.2.3 to 1.4.0, without a schedule',
      tokens: { total: 3 },
      datacenters: { east: { isPrimary: true, servers: 3 }, west: { servers: 1 } },
    })
  })

  test('without the right to list tokens it ends with 1 and says what to give', async () => {
    const { url } = await cluster()
    const { code, stderr } = await run(['plan', '--from', url])
    expect(code).toBe(1)
    expect(stderr).toContain(`${url}/v1/acl/list: 403: the token may not read this; give a management token`)
  })
})

describe('tokens of 1.4.0 and later', () => {
  const accessor = (i: number) => `fe3bf6c5-0f6f-4c45-8f1a-00000000000${i}`
  const stubs = [
    {
      AccessorID: accessor(1),
      Description: `plain ${SECRET}-9`,
      Policies: [{ ID: 'p', Name: 'n' }],
      CreateIndex: 3,
      SecretID: `${SECRET}-9`,
    },
    { AccessorID: accessor(2), Description: 'rules', Legacy: true, CreateIndex: 4 },
    { AccessorID: '', Description: 'waits', Legacy: true, CreateIndex: 5 },
    { AccessorID: accessor(3), Description: 'hidden rules', Legacy: true, CreateIndex: 6 },
  ]
  const list = [
    { ID: `${SECRET}-2`, Name: 'rules', Type: 'client', Rules: 'key "a" {}', CreateIndex: 4 },
    {
      ID: `${SECRET}-3`,
      Name: 'waits',
      Type: 'client',
      Rules: 'key "b" { policy = "read" }',
      CreateIndex: 5,
    },
  ]
  const newer: Override = ({ url = '' }, response) => {
    const answers: Record<string, unknown> = {
      '/v1/agent/self': { Config: { Datacenter: 'dc1', Version: '1.8.7', Server: true } },
      '/v1/acl/tokens': stubs,
      '/v1/acl/list': list,
      [`/v1/acl/token/${accessor(2)}`]: { SecretID: `${SECRET}-2`, Rules: 'key "a" { policy = "read" }' },
    }
    if (url.startsWith(`/v1/acl/token/${accessor(3)}`)) return answer(response, 403, 'ACL not found')
    if (answers[url] === undefined)
      return url === '/v1/catalog/datacenters' ? undefined : answer(response, 404)
    return answer(response, 200, JSON.stringify(answers[url]))
  }

  test('rules are read token by token, and those without an accessor from the legacy list', async () => {
    const { url } = await cluster(newer)
    const folder = join(directory, 'newer')
    const { code, stdout } = await run(['scan', '--from', url, '--save', folder], { env })
    expect(code).toBe(1)
    expect(stdout).toContain('1 token without an accessor (1 client, 1 with rules; 0 management)')
    expect(stdout).toContain('2 with an accessor (the rights of 1 come from legacy rules alone)')
    expect(stdout).toContain('1 record unusable')
    expect(stdout).toContain('the rules of 1 token (/v1/acl/token/:AccessorID): 403: ACL not found')
    const dump = readFileSync(join(folder, 'tokens.ndjson'), 'utf8')
    expect(dump).not.toContain(SECRET)
    expect(
      dump
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { AccessorID: accessor(1), Rules: '', Policies: [{ ID: 'p' }] },
      { AccessorID: accessor(2), Rules: 'key "a" { policy = "read" }' },
      { AccessorID: accessor(3), Unread: 'the rules: 403: ACL not found' },
      { ID: expect.stringMatching(/^sha256:/), Name: 'waits', Rules: 'key "b" { policy = "read" }' },
    ])
  })

  test('a token whose rules were not read is in no group, is not cleared, and blocks', async () => {
    const { url } = await cluster(newer)
    const folder = join(directory, 'unread')
    await run(['scan', '--from', url, '--save', folder], { env })
    const dump = join(folder, 'tokens.ndjson')
    const converted = await run(['convert', dump, '--json'])
    expect(converted.code).toBe(3)
    expect(JSON.parse(converted.stdout)).toMatchObject({
      groups: [{ tokens: [{ name: 'rules' }] }, { tokens: [{ name: 'waits' }] }],
      cleared: [],
      refused: 1,
    })
    for (const source of [[dump], ['--from', url]]) {
      const planned = await run(['plan', ...source, '--json'], { env })
      expect(planned.code).toBe(3)
      expect(JSON.parse(planned.stdout).findings).toContainEqual(
        expect.objectContaining({ id: 'dump-unread', severity: 'critical', count: 1 }),
      )
    }
  })

  test('a waiting token that no list shows is unread, also if another was created at the same index', async () => {
    const twins = ['found', 'lost'].map((Description) => ({ AccessorID: '', Description, CreateIndex: 5 }))
    const shown = { ID: `${SECRET}-6`, Name: 'found', Type: 'client', Rules: '', CreateIndex: 5 }
    const { url } = await cluster((request, response) =>
      request.url === '/v1/acl/tokens' || request.url === '/v1/acl/list'
        ? answer(response, 200, JSON.stringify(request.url === '/v1/acl/list' ? [shown] : twins))
        : newer(request, response),
    )
    const { code, stdout } = await run(['scan', '--from', url], { env })
    expect(code).toBe(1)
    expect(stdout).toContain('ID and rules of 1 token (/v1/acl/list): no list shows them')
  })

  test('a token without rules and links that the legacy API made a management token has legacy rights (spec 9.1)', async () => {
    const tokens = ['upgraded', 'client'].map((Description, i) => ({
      AccessorID: accessor(i),
      Description,
      CreateIndex: 7,
    }))
    const types = [
      { ID: `${SECRET}-4`, Name: 'upgraded', Type: 'management', Rules: '', CreateIndex: 7 },
      { ID: `${SECRET}-5`, Name: 'client', Type: 'client', Rules: '', CreateIndex: 7 },
    ]
    const scanned = async (status: number) => {
      const { url } = await cluster((request, response) =>
        request.url === '/v1/acl/tokens'
          ? answer(response, 200, JSON.stringify(tokens))
          : request.url === '/v1/acl/list'
            ? answer(response, status, JSON.stringify(types))
            : newer(request, response),
      )
      const { stdout } = await run(['scan', '--from', url, '--json'], { env })
      expect(stdout).not.toContain(SECRET)
      return JSON.parse(stdout).tokens
    }
    expect(await scanned(200)).toMatchObject({ withAccessor: 2, withLegacyRights: 1 })
    expect(await scanned(403)).toMatchObject({ withAccessor: 0, refused: 2 })
    expect(await scanned(410)).toMatchObject({ withAccessor: 2, withLegacyRights: 0 })
  })

  test('what a cluster hides is assumed in its scenario, which says so', async () => {
    const { url } = await cluster(newer)
    const folder = join(directory, 'hidden')
    await run(['scan', '--from', url, '--save', folder], { env })
    expect(readFileSync(join(folder, 'scenario.yaml'), 'utf8')).toContain(
      '# The servers of dc1 could not be read: 3 are assumed.',
    )
  })

  test.each([500, 403])('in legacy mode, told with %i, the legacy list is read instead', async (status) => {
    const { url } = await cluster((request, response) =>
      request.url === '/v1/acl/tokens'
        ? answer(response, status, 'The ACL system is currently in legacy mode.')
        : request.url === '/v1/acl/list'
          ? answer(response, 200, JSON.stringify(list))
          : newer(request, response),
    )
    expect((await run(['scan', '--from', url], { env })).stdout).toContain('2 tokens without an accessor')
  })
})

describe('a server that fails', () => {
  test('a passing refusal is tried again, reads alone', async () => {
    let left = 2
    const { url, seen } = await cluster(({ url: path }, response) => {
      if (path !== '/v1/agent/members' || left-- <= 0) return undefined
      return answer(response, left === 1 ? 503 : 500, 'No cluster leader')
    })
    const { code, stdout } = await run(['scan', '--from', url], { env })
    expect([code, stdout.includes('the members')]).toEqual([0, false])
    expect(seen.filter((each) => each === 'GET /v1/agent/members')).toHaveLength(3)
  })

  test('a server that never answers, and one that hangs up, end with 1 and the reason', async () => {
    const silent = await cluster(() => true)
    const { code, stderr } = await run(['scan', '--from', silent.url, '--timeout', '0.05'])
    expect(code).toBe(1)
    expect(stderr).toContain(`${silent.url}/v1/agent/self: the server does not answer: ETIMEDOUT`)
    const rude = await cluster((request) => {
      request.socket.destroy()
      return true
    })
    expect((await run(['scan', '--from', rude.url])).stderr).toContain(
      'the server does not answer: ECONNRESET',
    )
  })

  test.each([
    ['is cut off', '[{"ID":"X-1"},{"ID"', 'end', 'the list is damaged: the dump is cut off inside token 1'],
    ['stops', '[{"ID":"X-1"},', 'nothing', 'the answer was cut off'],
  ])('a list that %s saves no dump', async (how, text, end, message) => {
    const { url } = await cluster(({ url: path }, response) => {
      if (path !== '/v1/acl/list') return undefined
      response.write(text.replace('X', SECRET), () => {
        if (end === 'end') response.end()
      })
      return true
    })
    const folder = join(directory, how)
    // Long enough for the other requests on a stalled machine; only one of these lists waits this long.
    const { stdout } = await run(['scan', '--from', url, '--save', folder, '--timeout', '5'], { env })
    expect(stdout).toContain(`the tokens (/v1/acl/list): ${message}`)
    expect(readdirSync(folder)).toEqual(['scenario.yaml'])
    expect(stdout).not.toContain(SECRET)
  })

  test.each(['before', 'in the middle of'])(
    'Ctrl-C %s a list ends it with 130 and leaves no dump',
    async (when) => {
      const stop = new AbortController()
      const { url } = await cluster(({ url: path }, response) => {
        if (path !== '/v1/acl/list') return undefined
        if (when === 'before') stop.abort()
        else response.write(`[{"ID":"${SECRET}-1"},`, () => stop.abort())
        return true
      })
      const folder = join(directory, `interrupted ${when}`)
      const { code } = await run(['scan', '--from', url, '--save', folder], { env, signal: stop.signal })
      expect([code, readdirSync(folder)]).toEqual([130, []])
    },
  )
})
