import { describe, expect, test } from 'vitest'
import { InputError } from '../errors.ts'
import { readScenario, SCENARIO_LENGTH_MAX } from './read.ts'

function refusalOf(text: string): string {
  try {
    readScenario(text, 'plan.yaml')
  } catch (error) {
    if (error instanceof InputError) return error.text
    throw error
  }
  throw new Error('the scenario was accepted')
}

const read = (text: string) => readScenario(text, 'plan.yaml')

describe('accepted spellings', () => {
  test('a number stands for that many servers or agents', () => {
    const { datacenters } = read('datacenters: [{ name: west, servers: 2, agents: 1 }]\n')
    expect(datacenters[0]?.servers.map(({ id }) => id)).toEqual(['west-s1', 'west-s2'])
    expect(datacenters[0]?.agents.map(({ id }) => id)).toEqual(['west-a1'])
  })

  test('servers may be at the top of the file, with their datacenter', () => {
    const { datacenters } = read(
      'datacenters: [{ name: dc1 }, { name: dc2 }]\nservers:\n  - { id: a, datacenter: dc1 }\n  - { id: b, datacenter: dc2 }\n',
    )
    expect(datacenters.map(({ servers }) => servers.map(({ id }) => id))).toEqual([['a'], ['b']])
  })

  test('version: 1.10 is the version 1.10, not the number 1.1', () => {
    const { datacenters } = read('version: 1.10\ndatacenters: [{ name: dc1, servers: 1 }]\n')
    expect(datacenters[0]?.servers[0]?.version).toMatchObject({ text: '1.10', minor: 10 })
  })

  test.each([
    ['20', 20_000],
    ['12.75', 12_750],
    ['"20"', 20_000],
    ['20s', 20_000],
    ['250ms', 250],
    ['1h30m', 5_400_000],
  ])('a time is seconds, or a text with units: %s', (text, ms) => {
    const { datacenters } = read(`datacenters: [{ name: dc1, servers: [{ id: s1, start: ${text} }] }]\n`)
    expect(datacenters[0]?.servers[0]?.startMs).toBe(ms)
  })

  test('legacy tokens may be a number, counts by type, or a list', () => {
    const groups = (text: string) =>
      read(`datacenters: [{ name: dc1, servers: 1 }]\n${text}\n`).tokens.map(({ type, count }) => [
        type,
        count,
      ])
    expect(groups('legacyTokens: 7')).toEqual([['client', 7]])
    expect(groups('legacyTokens: { client: 5, management: 2 }')).toEqual([
      ['client', 5],
      ['management', 2],
    ])
    expect(groups('legacyTokens: [{ type: management, count: 3 }, { rules: "" }]')).toEqual([
      ['management', 3],
      ['client', 1],
    ])
  })

  test('legacy tokens may be records of the legacy list', () => {
    const { tokens } = read(
      'datacenters: [{ name: dc1, servers: 1 }]\nlegacyTokens: [{ ID: s3cret, Name: web, Type: management }, { count: 2 }]\n',
    )
    expect(tokens).toMatchObject([
      { type: 'management', count: 1, rules: '', name: 'web', secret: 's3cret' },
      { type: 'client', count: 2 },
    ])
  })

  test('writes may be repeated, and a partition may cut a datacenter off from all others', () => {
    const { events } =
      read(`datacenters: [{ name: a, servers: 1 }, { name: b, servers: 1 }, { name: c, servers: 1 }]
events:
  - { at: 10, kind: create-tokens, count: 2, every: 5, times: 3 }
  - { at: 1, kind: partition, datacenter: c, for: 3 }
`)
    expect(events.map(({ kind, atMs }) => [kind, atMs / 1_000])).toEqual([
      ['partition', 1],
      ['partition', 1],
      ['heal', 4],
      ['heal', 4],
      ['create-tokens', 10],
      ['create-tokens', 15],
      ['create-tokens', 20],
    ])
    const both = 'datacenters: [{ name: a, servers: 1 }]\nevents: [{ at: 1, kind: heal }]\n'
    expect(refusalOf(both)).toContain('plan.yaml:2:10: give either between or datacenter')
  })

  test('anchors, aliases and merge keys work', () => {
    const { datacenters } = read(
      'datacenters:\n  - name: dc1\n    servers:\n      - &base { id: s1, version: 1.5.0 }\n      - { <<: *base, id: s2 }\n',
    )
    expect(datacenters[0]?.servers.map(({ id, version }) => [id, version.text])).toEqual([
      ['s1', '1.5.0'],
      ['s2', '1.5.0'],
    ])
  })
})

describe('refusals name the line', () => {
  test('an unknown field', () => {
    expect(refusalOf('datacenters:\n  - name: dc1\n    serverz: 3\n')).toBe(
      'plan.yaml:3:5: datacenters[0].serverz: unknown field; did you mean servers?',
    )
  })

  test('a wrong type, deep in a union', () => {
    const text = 'datacenters: [{ name: dc1, servers: 1 }]\nlegacyTokens:\n  - type: client\n  - type: root\n'
    expect(refusalOf(text)).toMatch(/^plan\.yaml:4:5: legacyTokens\[1\]\.type: /)
  })

  const DC = 'datacenters: [{ name: dc1, servers: [{ id: s1 }] }]'
  test.each([
    ['seed: 1', 'datacenters: is missing: expected a list'],
    ['datacenters: []', 'datacenters: at least 1 entry'],
    ['datacenters: 3', 'datacenters: expected a list, not a number'],
    ['datacenters: [{ servers: 1 }]', 'datacenters[0].name: is missing: expected a text'],
    [`${DC}\nseed: -1`, 'seed: at least 0'],
    [`${DC}\nseed: 1.5`, 'seed: expected a whole number, not a fraction'],
    [`${DC}\nconnect: maybe`, 'connect: expected true or false, not a text'],
    [`${DC}\nmodel: servise`, 'model: expected one of service, latchkey; did you mean service?'],
    [
      `${DC}\nevents: [{ at: 1, kind: crahs, server: s1 }]`,
      'events[0].kind: unknown kind; did you mean crash?',
    ],
    [`${DC}\nevents: [{ at: 1, server: s1 }]`, 'events[0].kind: is missing'],
    [
      `${DC}\nevents: [{ at: 1, kind: crash, sever: s1 }]`,
      'events[0].sever: unknown field; did you mean server?',
    ],
    [`${DC}\nevents: [{ at: 1, kind: crash, server: s11 }]`, 'there is no server s11; did you mean s1?'],
    [`${DC}\nworkloads: [{ kind: kv-raed }]`, 'did you mean kv-read?'],
    [`${DC}\nworkloads: [{ kind: new, rate: 0 }]`, 'workloads[0].rate: more than 0'],
    [`${DC}\nlegacyTokens: [{ cout: 3 }]`, 'legacyTokens[0].cout: unknown field; did you mean count?'],
    [`${DC}\nversion: new`, 'version: expected a version such as 1.4.0'],
  ])('in words of the file, with a suggestion: %s', (text, message) => {
    const refusal = refusalOf(`${text}\n`)
    expect(refusal).toContain(message)
    expect(refusal).not.toMatch(/undefined|received|array|object|string|Invalid|enum|option/i)
  })

  test('several problems at once, each with its line', () => {
    const lines = refusalOf('datacenters: [{ name: dc1, servers: 1 }]\nseed: -1\nmodel: other\n').split('\n')
    expect(lines.map((each) => each.split(':').slice(0, 2).join(':'))).toEqual(['plan.yaml:3', 'plan.yaml:2'])
  })

  test('broken YAML', () => {
    expect(refusalOf('datacenters: [\n')).toMatch(/^plan\.yaml:\d+:\d+: not valid YAML: /)
  })

  test('a key given twice', () => {
    expect(refusalOf('seed: 1\nseed: 2\n')).toMatch(/^plan\.yaml:2:1: not valid YAML: /)
  })

  test('an alias inside its own anchor', () => {
    expect(refusalOf('datacenters: &all\n  - name: dc1\n    servers: *all\n')).toBe(
      'plan.yaml:3:14: the alias *all is inside its own anchor: a cycle',
    )
  })

  test('text that is longer than any scenario', () => {
    expect(refusalOf('#'.repeat(SCENARIO_LENGTH_MAX + 1))).toContain('at most 4194304 characters')
  })

  test('an empty file', () => {
    expect(refusalOf('')).toMatch(/^plan\.yaml/)
  })

  test.each([
    ['events: [{ at: 1, kind: crash, server: s9 }]', 'plan.yaml:2:32: there is no server s9'],
    [
      'events: [{ at: 1, kind: crash, server: dc1-s1 }, { at: 2, kind: crash, server: dc1-s1 }]',
      'plan.yaml:2:50: impossible schedule: crash at 2 s, but dc1-s1 is failed then',
    ],
    ['events: [{ at: 1, kind: resume, server: dc1-s1 }]', 'but dc1-s1 is up then'],
    ['events: [{ at: 1, kind: partition, between: [dc1, dc9] }]', 'there is no datacenter dc9'],
    ['primary: dc9', 'there is no datacenter dc9'],
    ['workloads: [{ kind: new, server: s9 }]', 'there is no server s9'],
    ['workloads: [{ kind: new, from: 9, to: 3 }]', 'ends before it begins'],
    ['servers: [{ id: dc1-s1 }]', 'the id dc1-s1 is used twice'],
  ])('%s', (line, message) => {
    expect(refusalOf(`datacenters: [{ name: dc1, servers: 2 }]\n${line}\n`)).toContain(message)
  })

  test('an event of a server before its planned start', () => {
    const text = `datacenters: [{ name: dc1, servers: [{ id: s1, start: 10 }] }]
events: [{ at: 5, kind: crash, server: s1 }]
`
    expect(refusalOf(text)).toContain('before the start of s1 at 10 s')
  })

  test.each([
    ['{ at: 1, kind: create-tokens, local: true }', 'local needs `api: new`'],
    ['{ at: 1, kind: edit-tokens, api: new, racing: true }', 'racing needs `api: legacy`'],
    ["{ at: 1, kind: edit-tokens, api: new, rules: '' }", 'rules needs `api: legacy`'],
    ['{ at: 1, kind: edit-tokens, sendsRules: true }', 'sendsRules needs `api: new`'],
    ['{ at: 1, kind: restore, datacenter: dc9 }', 'there is no datacenter dc9'],
  ])('an event that contradicts itself: %s', (event, message) => {
    expect(refusalOf(`datacenters: [{ name: dc1, servers: 1 }]\nevents: [${event}]\n`)).toContain(message)
  })

  test('SEC-01: a token record, without its secret', () => {
    const record = (fields: string) =>
      refusalOf(
        `datacenters: [{ name: dc1, servers: 1 }]\nlegacyTokens:\n  - { ID: canary-5d1 }\n  - { ${fields} }\n`,
      )
    expect(record('ID: canary-5d1')).toBe('plan.yaml:4:7: legacyTokens[1].ID is the same as [0].ID')
    expect(record('ID: canary-5d2, Type: root')).toContain('legacyTokens[1].Type ')
    for (const fields of ['ID: canary-5d1', 'ID: canary-5d2, Type: root', 'ID: canary-5d2, Wrong: 1'])
      expect(record(fields)).not.toContain('canary')
  })

  test('the endpoint of another workload than unknown-field', () => {
    const text =
      'datacenters: [{ name: dc1, servers: 1 }]\nworkloads: [{ kind: new, endpoint: PUT /v1/txn }]\n'
    expect(refusalOf(text)).toContain('plan.yaml:2:26: only a workload of kind unknown-field has it')
  })

  test('two leaders, two primaries', () => {
    expect(
      refusalOf('datacenters: [{ name: dc1, servers: [{ id: a, leader: true }, { id: b, leader: true }] }]'),
    ).toContain('dc1 has two leaders')
    const two = '[{ name: a, primary: true, servers: 1 }, { name: b, primary: true, servers: 1 }]'
    expect(refusalOf(`datacenters: ${two}`)).toContain('only one datacenter can be the primary')
  })
})
