import * as fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { GATE_NAMES, GATES, type GateName } from '../gates.ts'
import { changesBetween, profileOf } from './profile.ts'
import { parseServiceVersion, readVersion } from './versions.ts'

const profile = (text: string) => profileOf(parseServiceVersion(text))
const changes = (from: string, to: string) =>
  changesBetween(parseServiceVersion(from), parseServiceVersion(to)).map(
    ({ gate, change, at }) => `${at} ${change} ${gate}`,
  )

/** The spec's tables, independently: last version without, first with, gates. */
const FIRST_WITH: readonly [without: string, first: string, ...GateName[]][] = [
  ['1.3.0', '1.4.0', 'api.token', 'token.expanded', 'list.secretId'],
  ['1.3.1', '1.4.0', 'api.policy', 'upgrade.accessorMigration', 'upgrade.legacyMode'],
  ['1.3.1', '1.4.0', 'upgrade.noDowngrade'],
  ['1.4.9', '1.5.0', 'api.role', 'token.settableIds', 'token.roles', 'token.serviceIdentities'],
  ['1.4.9', '1.5.0', 'token.expirationTime', 'token.expirationTtl', 'api.authMethod'],
  ['1.4.9', '1.5.0', 'api.configEntries'],
  ['1.4.9', '1.5.0', 'limit.expirationTime', 'limit.expirationTtl', 'limit.serviceName'],
  ['1.8.0', '1.8.1', 'token.nodeIdentities', 'bindingRule.node', 'limit.nodeName', 'dns.unknownDatacenter'],
  ['1.7.9', '1.8.0', 'api.oidc', 'authMethod.jwt', 'authMethod.displayName', 'authMethod.maxTokenTtl'],
  ['1.7.9', '1.8.0', 'authMethod.tokenLocality', 'authMethod.namespaceRules', 'health.ingress'],
  ['1.7.9', '1.8.0', 'intentions.filter', 'catalog.gatewayServices'],
  ['1.4.2', '1.4.3', 'api.replicationToken'],
  ['1.10.9', '1.11', 'replication.detail', 'authMethod.acrValues'],
  ['1.9.5', '1.9.6', 'login.namesMethod'],
  ['1.9.9', '1.10', 'authMethod.listedLifetime', 'http.queryBackend'],
  ['1.6.9', '1.7.0', 'authMethod.mapNamespaces', 'catalog.nodeServices'],
  ['1.7.0', '1.7.1', 'http.connectionLimit200'],
  ['1.8.7', '1.9.0', 'http.connectionLimit429', 'intentions.listByNamespace', 'intentions.configEntries'],
  ['1.8.7', '1.9.0', 'intentions.readOnlyWhileMigrating', 'intentions.legacyFields'],
  ['0.9.4', '1.0', 'http.enforceMethods'],
  ['0.9.4', '1.0.0', 'kv.forbidden403'],
  ['0.9', '1.0', 'agent.reducedSelf'],
  ['0.8.4', '0.8.5', 'health.passingParsed', 'dns.edns'],
  ['1.2.4', '1.3.0', 'catalog.severalTags', 'agent.readService'],
  ['1.4.0', '1.4.1', 'agent.localHealth', 'catalog.extinctionIndex', 'txn.catalog'],
  ['1.0.6', '1.0.7', 'http.allowListsOptions', 'catalog.serviceIndex', 'http.effectiveConsistency'],
  ['1.0.6', '1.0.7', 'catalog.serviceMeta'],
  ['1.10.12', '1.11', 'http.resultsFiltered', 'health.meshSummary', 'dns.nodeNoData'],
  ['1.10.12', '1.11', 'intentions.conditionalDelete'],
  ['1.4.5', '1.5.0', 'query.filter'],
  ['1.5.9', '1.6.0', 'query.filterWords'],
  ['0.7.2', '0.7.3', 'catalog.nodeId'],
  ['0.8.1', '0.8.2', 'catalog.nodeDatacenter'],
  ['1.0.0', '1.0.1', 'catalog.checkDefinition', 'dns.extraLabels'],
  ['1.1.1', '1.2.0', 'catalog.connect', 'dns.servicePtr'],
  ['1.2.2', '1.2.3', 'catalog.serviceWeights', 'dns.weights'],
  ['1.5.3', '1.6.0', 'catalog.serviceTaggedAddresses'],
  ['1.6.1', '1.6.2', 'catalog.checkType'],
  ['1.9.9', '1.10.0', 'catalog.checkTimes', 'catalog.socketPath'],
  ['1.10.1', '1.10.2', 'catalog.checkExposedPort'],
  ['1.6.10', '1.7.0', 'body.refuseUnknownFields', 'session.checkLists'],
  ['1.6.3', '1.7.0', 'dns.ptrCanonicalName'],
  ['0.9.0', '0.9.1', 'dns.nsRecords'],
  ['0.9.3', '1.0', 'dns.nodeText'],
]

/** Gate, last version without, first with, last with, first after. */
const CLOSED_AGAIN: readonly [GateName, without: string, first: string, last: string, after: string][] = [
  ['api.legacyTokenRules', '1.3.1', '1.4.0', '1.10.12', '1.11'],
  ['http.connectionLimit100', '1.6.2', '1.6.3', '1.7.0', '1.7.1'],
  ['catalog.tagFilterIgnored', '1.2.3', '1.3.0', '1.3.0', '1.3.1'],
  ['session.incompatibleQueries', '1.6.3', '1.7.0', '1.7.1', '1.7.2'],
]

test.each([
  ['0.7', false],
  ['1.3.1', false],
  ['1.10', false],
  ['1.11', true],
] as const)('version %s has lost what 1.4.0 to 1.10 have: %j', (version, had) => {
  expect(profile(version).hasNoLonger('api.legacyTokenRules')).toBe(had)
})

describe('each gate opens and closes exactly at the versions of the spec (spec 8, 9)', () => {
  test.each(FIRST_WITH)('closed at %s, open at %s: %s and others', (without, first, ...gates) => {
    for (const gate of gates)
      expect(
        [without, first, '1.11'].map((at) => profile(at).has(gate)),
        gate,
      ).toEqual([false, true, true])
  })

  test.each(CLOSED_AGAIN)('%s: closed at %s, open from %s to %s, closed at %s', (gate, ...versions) => {
    expect(versions.map((at) => profile(at).has(gate))).toEqual([false, true, true, false])
  })

  test.each(['api.legacy', 'upgrade.legacyRules', 'agent.removesUnknown'] as const)(
    '%s: open until 1.11 (spec 9.1, 9.2.4, 9.4)',
    (gate) => {
      for (const open of ['0.7', '1.3.1', '1.4.0', '1.10', '1.10.12'])
        expect(profile(open).has(gate)).toBe(true)
      for (const closed of ['1.11', '1.11.0', '1.11.3']) expect(profile(closed).has(gate)).toBe(false)
    },
  )

  test.each(['http.translateAddressesHeader', 'catalog.lanTaggedAddress'] as const)(
    '%s: open from 0.7, the oldest version',
    (gate) => {
      expect(profile('0.7').has(gate)).toBe(true)
    },
  )

  test('these tables cover every gate', () => {
    const tabled = [
      ...FIRST_WITH.flatMap(([, , ...gates]) => gates),
      ...CLOSED_AGAIN.map(([gate]) => gate),
      'api.legacy',
      'upgrade.legacyRules',
      'agent.removesUnknown',
    ]
    const fromTheOldest = GATE_NAMES.filter((name) => GATES[name].since === '0.7')
    expect([...tabled, ...fromTheOldest].sort()).toEqual([...GATE_NAMES].sort())
  })
})

test.each([
  ['0.7', 0],
  ['1.6.2', 0],
  ['1.6.3', 100],
  ['1.6.10', 100],
  ['1.7.0', 100],
  ['1.7.1', 200],
  ['1.9.0', 200],
  ['1.11', 200],
] as const)('version %s allows %i connections per client address by default (spec 8)', (version, limit) => {
  expect(profile(version).connectionLimit).toBe(limit)
})

test('the gate table is well formed: versions that parse, in order, and one sentence of before and after', () => {
  for (const name of GATE_NAMES) {
    const { since, until, sentence, specRow } = GATES[name]
    if (since !== undefined) expect(parseServiceVersion(since).text, name).toBe(since)
    if (until !== undefined) expect(parseServiceVersion(until).text, name).toBe(until)
    if (since !== undefined && until !== undefined) expect(profile(since).has(name), name).toBe(true)
    expect(sentence, name).toMatch(/^[A-Z].*\.$/)
    expect(sentence.match(/\.(?=\s[A-Z])/g), `${name}: one sentence`).toBeNull()
    expect(specRow, name).toMatch(/^\d/)
  }
})

test('orders changes by version, and names what is removed (spec 9.1)', () => {
  const list = changes('1.8.0', '1.11')
  expect(list[0]).toBe('1.8.1 added token.nodeIdentities')
  expect(list.slice(-4)).toEqual([
    '1.11 removed agent.removesUnknown',
    '1.11 added health.meshSummary',
    '1.11 added dns.nodeNoData',
    '1.11 added intentions.conditionalDelete',
  ])
})

test('a fault that an intermediate version fixed appears with both changes (spec 9.3)', () => {
  expect(changes('1.6.3', '1.8.0').filter((line) => line.includes('session'))).toEqual([
    '1.7.0 added session.checkLists',
    '1.7.0 added session.incompatibleQueries',
    '1.7.2 removed session.incompatibleQueries',
  ])
})

test('nothing changes between a version and itself, and a downgrade is refused (spec 9.2.5)', () => {
  expect(changes('1.11', '1.11.0')).toEqual([])
  expect(() => changes('1.11', '1.3.0')).toThrow(expect.objectContaining({ code: 'version_invalid' }))
})

test('the changes between two versions are the difference of their profiles, for any two', () => {
  const anyVersion = fc
    .tuple(
      fc.constantFrom('0.7', '0.9', '1.0', '1.3', '1.4', '1.6', '1.7', '1.8', '1.9', '1.10', '1.11'),
      fc.nat(4),
    )
    .map(([line, patch]) => parseServiceVersion(`${line}.${patch}`))
  fc.assert(
    fc.property(anyVersion, anyVersion, (a, b) => {
      const [from, to] =
        a.minor + a.major * 100 + a.patch / 10 <= b.minor + b.major * 100 + b.patch / 10 ? [a, b] : [b, a]
      const open = new Set(GATE_NAMES.filter((name) => profileOf(from).has(name)))
      for (const { gate, change } of changesBetween(from, to)) {
        if (change === 'added') open.add(gate)
        else open.delete(gate)
      }
      expect([...open].sort()).toEqual(GATE_NAMES.filter((name) => profileOf(to).has(name)).sort())
    }),
  )
})

test('changes can start before the oldest version the service speaks as (spec 9.3, 0.7)', () => {
  const [old, oldest] = [readVersion('0.6.4'), readVersion('0.7')]
  const gates = old && oldest ? changesBetween(old, oldest).map(({ gate }) => gate) : []
  expect(gates).toEqual(['http.translateAddressesHeader', 'catalog.lanTaggedAddress'])
})

test('an unknown gate does not compile', () => {
  expectTypeOf(profile('1.11').has).parameter(0).toEqualTypeOf<GateName>()
  // @ts-expect-error no such gate
  expect(profile('1.11').has('token.nodeIdentitys')).toBe(false)
})
