/** DNS answers. Decisions: dns; spec 9.3 (1.7.0). */
import { parseServiceVersion, profileOf } from '@latchkey/contract'
import { aCheck, aNode, aService } from '@latchkey/testkit/records/catalog-builders'
import { describe, expect, test } from 'vitest'
import { Catalog } from '../catalog.ts'
import { answerQuestion } from './answer.ts'
import type { DnsContext, DnsSettings } from './context.ts'
import type { DnsRecord, DnsReply } from './message.ts'

const SETTINGS: DnsSettings = { domains: ['consul', 'alt.example'], ttlSeconds: 5, onlyPassing: false }

type Options = Partial<Omit<DnsContext, 'settings' | 'profile'>> & {
  readonly settings?: Partial<DnsSettings>
  readonly version?: string
}

function aCatalog(...fill: ((catalog: Catalog) => void)[]): Catalog {
  const catalog = new Catalog()
  for (const each of fill) each(catalog)
  return catalog
}

const node = (fields: Parameters<typeof aNode>[0]) => (catalog: Catalog) =>
  catalog.put('nodes', aNode({ TaggedAddresses: null, Meta: null, ...fields }))
const service = (fields: Parameters<typeof aService>[0]) => (catalog: Catalog) =>
  catalog.put('services', aService({ Tags: [], Address: '', ...fields }))
const check = (fields: Parameters<typeof aCheck>[0]) => (catalog: Catalog) =>
  catalog.put('checks', aCheck(fields))

function contextOf({ settings, version = '1.8.7', ...rest }: Options): DnsContext {
  return {
    catalog: NETWORK,
    rights: { node: () => true, service: () => true },
    profile: profileOf(parseServiceVersion(version)),
    datacenter: 'dc1',
    hasNamespaces: false,
    serverService: 'latchkey',
    recordsMax: 1_000,
    now: 1_700_000_000_500,
    shuffle: (list) => list,
    ...rest,
    settings: { ...SETTINGS, ...settings },
  }
}

function ask(name: string, type: string, options: Options = {}): DnsReply {
  return answerQuestion({ name, type }, contextOf(options))
}

/** A reply in short form: its status, then its records by section, each without name and TTL. */
function shown({ rcode, answers, authorities, additionals }: DnsReply): string {
  const list = (records: readonly DnsRecord[]) => records.map(short).join(', ')
  const sections = [
    ['', answers],
    ['authority ', authorities],
    ['additional ', additionals],
  ] as const
  const parts = sections.flatMap(([title, records]) => (records.length === 0 ? [] : [title + list(records)]))
  return [rcode, ...parts].join('; ')
}

function short({ type, data }: DnsRecord): string {
  if (type === 'SOA') return 'SOA'
  if (type !== 'SRV') return `${type} ${data}`
  return `SRV ${data.priority} ${data.weight} ${data.port} ${data.target}`
}

const NETWORK = aCatalog(
  node({ Node: 'Alpha.one', Address: '10.0.0.1', Meta: { rack: 'r1', 'rfc1035-note': 'a=b' } }),
  node({ Node: 'beta', Address: 'fe80::2' }),
  node({ Node: 'dual', Address: '10.0.0.3', TaggedAddresses: { lan_ipv6: 'fe80::3' } }),
  node({ Node: 'named', Address: 'beta.node.consul.' }),
  node({ Node: 'outside', Address: 'db.example.com' }),
  node({ Node: 'loop', Address: 'loop.node.consul' }),
  service({ Node: 'Alpha.one', ID: 'web', Service: 'Web', Tags: ['V2', 'a.b'], Port: 80 }),
  service({ Node: 'beta', ID: 'web', Service: 'Web', Port: 81, Weights: { Passing: 10, Warning: 3 } }),
  service({ Node: 'dual', ID: 'web', Service: 'Web', Address: '10.0.9.9', Port: 82, Tags: ['udp'] }),
  service({ Node: 'dual', ID: 'ext', Service: 'ext', Address: 'db.example.com', Port: 5432 }),
  service({ Node: 'outside', ID: 'far', Service: 'far', Port: 1 }),
  service({ Node: 'Alpha.one', ID: 'in', Service: 'in', Address: 'beta.node.consul', Port: 2 }),
  service({ Node: 'Alpha.one', ID: 'sick', Service: 'sick', Port: 3 }),
  service({ Node: 'beta', ID: 'latchkey', Service: 'latchkey', Port: 8500 }),
  service({
    Node: 'Alpha.one',
    ID: 'proxy',
    Service: 'web-proxy',
    Kind: 'connect-proxy',
    Proxy: { DestinationServiceName: 'Web' },
    Port: 90,
  }),
  check({ Node: 'beta', CheckID: 'c', ServiceID: 'web', Status: 'warning' }),
  check({ Node: 'Alpha.one', CheckID: 's', ServiceID: 'sick', Status: 'critical' }),
)

describe('nodes', () => {
  test.each([
    ['alpha.one.node.consul', 'A', 'NOERROR; A 10.0.0.1; additional TXT rack=r1, TXT a=b'],
    ['ALPHA.ONE.Node.DC1.Consul', 'A', 'NOERROR; A 10.0.0.1; additional TXT rack=r1, TXT a=b'],
    ['alpha.one.node.alt.example', 'A', 'NOERROR; A 10.0.0.1; additional TXT rack=r1, TXT a=b'],
    ['alpha.one.node.consul', 'AAAA', 'NOERROR; additional TXT rack=r1, TXT a=b'],
    ['alpha.one.node.consul', 'ANY', 'NOERROR; A 10.0.0.1, TXT rack=r1, TXT a=b'],
    ['alpha.one.node.consul', 'TXT', 'NOERROR; TXT rack=r1, TXT a=b'],
    ['beta.node.consul', 'TXT', 'NOERROR'],
    ['beta.node.consul', 'A', 'NOERROR'],
    ['beta.node.consul', 'AAAA', 'NOERROR; AAAA fe80:0:0:0:0:0:0:2'],
    ['dual.node.consul', 'AAAA', 'NOERROR; AAAA fe80:0:0:0:0:0:0:3'],
    ['dual.node.consul', 'A', 'NOERROR; A 10.0.0.3'],
    ['named.node.consul', 'A', 'NOERROR; CNAME beta.node.consul, AAAA fe80:0:0:0:0:0:0:2'],
    ['outside.node.consul', 'A', 'NOERROR; CNAME db.example.com'],
    [
      'loop.node.consul',
      'A',
      `NOERROR; ${Array.from({ length: 4 }, () => 'CNAME loop.node.consul').join(', ')}`,
    ],
    ['beta.node.consul', 'SRV', 'NOERROR'],
    ['nobody.node.consul', 'MX', 'NOERROR'],
    ['nobody.node.consul', 'A', 'NXDOMAIN; authority SOA'],
    ['node.consul', 'A', 'NXDOMAIN; authority SOA'],
    ['alpha\0one.node.consul', 'A', 'NXDOMAIN; authority SOA'],
  ])('%s %s: %s', (name, type, expected) => {
    expect(shown(ask(name, type))).toBe(expected)
  })

  test('a node is found by its id, too', () => {
    const ID = '40e4a748-2192-161a-0510-9bf59fe950b5'
    const catalog = aCatalog(node({ Node: 'a', ID, Address: '10.0.0.1' }))
    expect(shown(ask(`${ID}.node.consul`, 'A', { catalog }))).toBe('NOERROR; A 10.0.0.1')
  })

  test('names in answers repeat the question, and have the time to live of nodes', () => {
    const { answers, isAuthoritative, isRecursionAvailable } = ask('BETA.node.consul', 'AAAA')
    expect(answers).toEqual([{ name: 'BETA.node.consul', type: 'AAAA', ttl: 5, data: 'fe80:0:0:0:0:0:0:2' }])
    expect({ isAuthoritative, isRecursionAvailable }).toEqual({
      isAuthoritative: true,
      isRecursionAvailable: false,
    })
  })

  test('metadata is written as in RFC 1464', () => {
    const Meta = { 'a=b`c': 'x=y`z', ' blank ': '' }
    const catalog = aCatalog(node({ Node: 'a', Address: '10.0.0.1', Meta }))
    expect(shown(ask('a.node.consul', 'TXT', { catalog }))).toBe(
      'NOERROR; TXT a`=b``c=x=y``z, TXT ` blank` =',
    )
  })
})

describe('services', () => {
  const metadata = 'TXT rack=r1, TXT a=b'
  test.each([
    ['web.service.consul', 'A', 'NOERROR; A 10.0.0.1, A 10.0.9.9'],
    ['web.service.dc1.consul', 'AAAA', 'NOERROR; AAAA fe80:0:0:0:0:0:0:2'],
    ['web.service.consul', 'ANY', 'NOERROR; A 10.0.0.1, AAAA fe80:0:0:0:0:0:0:2, A 10.0.9.9'],
    ['web.service.consul', 'TXT', 'NOERROR; A 10.0.0.1, AAAA fe80:0:0:0:0:0:0:2, A 10.0.9.9'],
    ['web.service.consul', 'MX', 'NOERROR; authority SOA'],
    ['v2.web.service.consul', 'A', 'NOERROR; A 10.0.0.1'],
    ['a.b.web.service.consul', 'A', 'NOERROR; A 10.0.0.1'],
    ['x.a.web.service.consul', 'A', 'NXDOMAIN; authority SOA'],
    ['a\0b.web.service.consul', 'A', 'NXDOMAIN; authority SOA'],
    ['web\0service.consul', 'A', 'NXDOMAIN; authority SOA'],
    ['none.web.service.consul', 'A', 'NXDOMAIN; authority SOA'],
    ['_web._v2.service.consul', 'A', 'NOERROR; A 10.0.0.1'],
    ['_web._tcp.consul', 'SRV', 'NOERROR; SRV'],
    ['_web._udp.dc1.consul', 'SRV', 'NOERROR; SRV 1 1 82 0a000909.addr.dc1.consul; additional A 10.0.9.9'],
    ['_web._tcp.consul', 'A', 'NXDOMAIN; authority SOA'],
    ['sick.service.consul', 'A', 'NXDOMAIN; authority SOA'],
    ['nobody.service.consul', 'SRV', 'NXDOMAIN; authority SOA'],
    ['service.consul', 'A', 'NXDOMAIN; authority SOA'],
    ['web.service.dc2.consul', 'A', 'NXDOMAIN; authority SOA'],
    ['web.service.dc1.x.consul', 'A', 'NXDOMAIN; authority SOA'],
    ['ext.service.consul', 'A', 'NOERROR; CNAME db.example.com'],
    ['ext.service.consul', 'SRV', 'NOERROR; SRV 1 1 5432 db.example.com'],
    ['far.service.consul', 'A', 'NOERROR; CNAME db.example.com'],
    ['in.service.consul', 'AAAA', 'NOERROR; CNAME beta.node.consul, AAAA fe80:0:0:0:0:0:0:2'],
    [
      'in.service.consul',
      'SRV',
      `NOERROR; SRV 1 1 2 beta.node.consul; additional AAAA fe80:0:0:0:0:0:0:2, ${metadata}`,
    ],
    [
      'web.connect.consul',
      'SRV',
      `NOERROR; SRV 1 1 90 Alpha.one.node.dc1.consul; additional A 10.0.0.1, ${metadata}`,
    ],
    ['web.ingress.consul', 'A', 'NXDOMAIN; authority SOA'],
    ['web.query.consul', 'A', 'NXDOMAIN; authority SOA'],
    ['web.virtual.consul', 'A', 'NXDOMAIN; authority SOA'],
  ])('%s %s: %s', (name, type, expected) => {
    const reply = shown(ask(name, type))
    if (expected.endsWith('SRV')) expect(reply.startsWith(expected)).toBe(true)
    else expect(reply).toBe(expected)
  })

  test('SRV: weights by the checks; targets are nodes, or addresses that services have themselves', () => {
    expect(shown(ask('web.service.consul', 'SRV')).split('; ')).toEqual([
      'NOERROR',
      'SRV 1 1 80 Alpha.one.node.dc1.consul, SRV 1 3 81 beta.node.dc1.consul, SRV 1 1 82 0a000909.addr.dc1.consul',
      `additional A 10.0.0.1, ${metadata}, AAAA fe80:0:0:0:0:0:0:2, A 10.0.9.9`,
    ])
    const { answers, additionals } = ask('web.service.alt.example', 'SRV')
    expect(answers[0]).toMatchObject({
      name: 'web.service.alt.example',
      ttl: 5,
      data: { target: 'Alpha.one.node.dc1.alt.example' },
    })
    expect(additionals[0]?.name).toBe('Alpha.one.node.dc1.alt.example')
  })

  test('an address is answered once', () => {
    const instances = Array.from({ length: 5 }, (_, i) =>
      service({ Node: 'a', ID: `${i}`, Service: 'web', Address: `10.0.0.${i % 3}`, Port: i }),
    )
    const catalog = aCatalog(node({ Node: 'a' }), ...instances)
    expect(ask('web.service.consul', 'A', { catalog }).answers).toHaveLength(3)
    expect(ask('web.service.consul', 'SRV', { catalog }).answers).toHaveLength(5)
  })

  test('names that lead to names are followed a bounded number of times', () => {
    const instances = Array.from({ length: 40 }, (_, i) =>
      service({ Node: 'a', ID: `${i}`, Service: 'web', Address: 'more.service.consul', Port: i }),
    )
    const more = service({ Node: 'a', ID: 'more', Service: 'more', Address: '10.0.0.2' })
    const catalog = aCatalog(node({ Node: 'a' }), more, ...instances)
    const { answers, additionals } = ask('web.service.consul', 'SRV', { catalog })
    expect({ answers: answers.length, additionals: additionals.length }).toEqual({
      answers: 40,
      additionals: 16,
    })
  })

  test('of a large service, no more instances are looked at than fit, and one', () => {
    const instances = Array.from({ length: 50 }, (_, i) =>
      service({ Node: 'a', ID: `${i}`, Service: 'web', Address: `10.0.0.${i}` }),
    )
    const catalog = aCatalog(node({ Node: 'a' }), ...instances)
    for (const type of ['A', 'SRV'])
      expect(ask('web.service.consul', type, { catalog, recordsMax: 3 }).answers).toHaveLength(4)
  })

  test('answers come in random order', () => {
    const shuffle = <T>(list: readonly T[]) => list.toReversed()
    expect(shown(ask('web.service.consul', 'A', { shuffle }))).toBe('NOERROR; A 10.0.9.9, A 10.0.0.1')
  })

  test('onlyPassing leaves out instances with a warning', () => {
    const reply = ask('web.service.consul', 'AAAA', { settings: { onlyPassing: true } })
    expect(shown(reply)).toBe('NOERROR; authority SOA')
  })

  test('a target that does not fit in DNS is left out', () => {
    const long = 'x'.repeat(64)
    const catalog = aCatalog(node({ Node: long }), service({ Node: long, ID: 'web', Service: 'web' }))
    expect(shown(ask('web.service.consul', 'SRV', { catalog }))).toBe('NOERROR; authority SOA')
  })

  test('SRV: a port that does not fit in DNS is left out, and the other instances are answered', () => {
    const instances = [-1, 0, 65_535, 65_536].map((Port, i) =>
      service({ Node: 'a', ID: `${i}`, Service: 'web', Port }),
    )
    const catalog = aCatalog(node({ Node: 'a', Address: '10.0.0.1' }), ...instances)
    const { answers } = ask('web.service.consul', 'SRV', { catalog })
    expect(answers.map(short)).toEqual(['SRV 1 1 0 a.node.dc1.consul', 'SRV 1 1 65535 a.node.dc1.consul'])
  })

  test('an alias that is the asked name itself is the address of the node', () => {
    const catalog = aCatalog(
      node({ Node: 'a', Address: '10.0.0.1' }),
      service({ Node: 'a', ID: 'web', Service: 'web', Address: 'web.service.consul' }),
    )
    expect(shown(ask('WEB.service.consul', 'A', { catalog }))).toBe('NOERROR; A 10.0.0.1')
  })
})

describe('addresses, the domain, and other domains', () => {
  test.each([
    ['0a000001.addr.consul', 'A', 'NOERROR; A 10.0.0.1'],
    ['0A000001.ADDR.dc9.consul', 'ANY', 'NOERROR; A 10.0.0.1'],
    ['0a000001.addr.consul', 'AAAA', 'NOERROR; additional A 10.0.0.1'],
    [
      'fe800000000000000000000000000001.addr.consul',
      'AAAA',
      'NOERROR; AAAA fe80:0000:0000:0000:0000:0000:0000:0001',
    ],
    ['0a00001.addr.consul', 'A', 'NXDOMAIN; authority SOA'],
    ['0a00000g.addr.consul', 'A', 'NXDOMAIN; authority SOA'],
    ['x.0a000001.addr.consul', 'A', 'NXDOMAIN; authority SOA'],
    ['consul', 'A', 'NXDOMAIN; authority SOA'],
    ['consul', 'SOA', 'NOERROR; SOA; authority NS beta.node.dc1.consul; additional AAAA fe80:0:0:0:0:0:0:2'],
    ['x.consul', 'NS', 'NOERROR; NS beta.node.dc1.consul; additional AAAA fe80:0:0:0:0:0:0:2'],
    ['x.consul', 'A', 'NXDOMAIN; authority SOA'],
    ['consul', 'AXFR', 'NOTIMP'],
    ['notconsul', 'A', 'REFUSED'],
    ['web.service\0consul', 'A', 'REFUSED'],
    ['example.com', 'A', 'REFUSED'],
    ['', 'A', 'REFUSED'],
  ])('%s %s: %s', (name, type, expected) => {
    expect(shown(ask(name, type))).toBe(expected)
  })

  test('the zone record has the time as its serial', () => {
    expect(ask('consul', 'SOA').answers).toEqual([
      {
        name: 'consul',
        type: 'SOA',
        ttl: 0,
        data: {
          mname: 'ns.consul',
          rname: 'hostmaster.consul',
          serial: 1_700_000_000,
          refresh: 3_600,
          retry: 600,
          expire: 86_400,
          minimum: 0,
        },
      },
    ])
  })
})

describe('reverse names', () => {
  const V6 = '3.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.E.F.IP6.ARPA'
  const catalog = aCatalog(
    node({ Node: 'Alpha', Address: '10.0.0.1' }),
    node({ Node: 'beta', Address: 'fe80::3' }),
    service({ Node: 'beta', ID: 'web', Service: 'Web', Address: '10.0.0.2' }),
    service({ Node: 'beta', ID: 'too', Service: 'too', Address: '10.0.0.1' }),
  )

  test.each([
    ['1.0.0.10.in-addr.arpa', 'PTR', 'NOERROR; PTR Alpha.node.dc1.consul'],
    ['1.0.0.10.IN-ADDR.arpa', 'A', 'NOERROR; PTR Alpha.node.dc1.consul'],
    ['1.0.0.10.in-addr.arpa', 'SOA', 'NOERROR; PTR Alpha.node.dc1.consul; authority SOA'],
    [V6, 'PTR', 'NOERROR; PTR beta.node.dc1.consul'],
    ['2.0.0.10.in-addr.arpa', 'PTR', 'NOERROR; PTR Web.service.dc1.consul'],
    ['9.0.0.10.in-addr.arpa', 'PTR', 'SERVFAIL'],
    ['0.0.10.in-addr.arpa', 'PTR', 'SERVFAIL'],
    ['999.0.0.10.in-addr.arpa', 'PTR', 'SERVFAIL'],
    ['arpa', 'PTR', 'SERVFAIL'],
  ])('%s %s: %s', (name, type, expected) => {
    expect(shown(ask(name, type, { catalog }))).toBe(expected)
  })

  test.each([
    ['1.1.1', false, 'SERVFAIL'],
    ['1.2.0', false, 'NOERROR; PTR Web.service.consul'],
    ['1.6.10', true, 'NOERROR; PTR Web.service.consul'],
    ['1.7.0', false, 'NOERROR; PTR Web.service.dc1.consul'],
    ['1.7.0', true, 'NOERROR; PTR Web.service.default.dc1.consul'],
  ])('%s, with namespaces %s: %s (spec 9.3, 1.7.0)', (version, hasNamespaces, expected) => {
    const reply = ask('2.0.0.10.in-addr.arpa', 'PTR', { catalog, version, hasNamespaces })
    expect(shown(reply)).toBe(expected)
    if (!expected.startsWith('NOERROR'))
      expect(reply).toMatchObject({ isAuthoritative: false, isRecursionAvailable: true })
  })

  test('the first name that may be read is answered', () => {
    const rights = { node: (name: string) => name !== 'Alpha', service: () => true }
    expect(shown(ask('1.0.0.10.in-addr.arpa', 'PTR', { catalog, rights }))).toBe(
      'NOERROR; PTR too.service.dc1.consul',
    )
    const none = { node: () => false, service: () => true }
    expect(shown(ask('2.0.0.10.in-addr.arpa', 'PTR', { catalog, rights: none }))).toBe('SERVFAIL')
  })
})

describe('rights', () => {
  const nodes = (allowed: string) => ({ node: (name: string) => name === allowed, service: () => true })
  const services = (allowed: string) => ({ node: () => true, service: (name: string) => name === allowed })

  test.each([
    ['beta.node.consul', 'AAAA', nodes('beta'), 'NOERROR'],
    ['beta.node.consul', 'AAAA', nodes('Alpha.one'), 'NXDOMAIN'],
    ['web.service.consul', 'A', services('Web'), 'NOERROR'],
    ['web.service.consul', 'A', services('web'), 'NXDOMAIN'],
    ['web.service.consul', 'A', nodes('none'), 'NXDOMAIN'],
    ['web.connect.consul', 'A', services('Web'), 'NXDOMAIN'],
    ['web.connect.consul', 'A', services('web-proxy'), 'NOERROR'],
    ['0a000001.addr.consul', 'A', nodes('none'), 'NOERROR'],
  ])('%s %s', (name, type, rights, rcode) => {
    expect(ask(name, type, { rights }).rcode).toBe(rcode)
  })

  test('instances on nodes that may not be read are left out', () => {
    expect(shown(ask('web.service.consul', 'ANY', { rights: nodes('dual') }))).toBe('NOERROR; A 10.0.9.9')
  })

  test('an alias leads to no hidden node', () => {
    expect(shown(ask('named.node.consul', 'ANY', { rights: nodes('named') }))).toBe(
      'NOERROR; CNAME beta.node.consul',
    )
  })

  test('servers are named to those who may read them', () => {
    for (const rights of [nodes('none'), services('none')]) {
      expect(shown(ask('consul', 'NS', { rights }))).toBe('NOERROR')
      expect(shown(ask('consul', 'SOA', { rights }))).toBe('NOERROR; SOA')
    }
  })
})

describe('versions', () => {
  test.each([
    ['consul', 'NS', '0.9.0', 'NXDOMAIN; authority SOA'],
    ['consul', 'SOA', '0.9.0', 'NOERROR; SOA'],
    ['alpha.one.node.consul', 'ANY', '0.9.3', 'NOERROR; A 10.0.0.1'],
    ['web.service.dc1.x.consul', 'AAAA', '1.0.0', 'NOERROR; AAAA fe80:0:0:0:0:0:0:2'],
    [
      '_web._udp.consul',
      'SRV',
      '1.2.2',
      'NOERROR; SRV 1 1 82 0a000909.addr.dc1.consul; additional A 10.0.9.9',
    ],
    ['web.service.dc2.consul', 'A', '1.8.0', 'SERVFAIL; authority SOA'],
    ['beta.node.consul', 'SRV', '1.11', 'NOERROR; authority SOA'],
  ])('%s %s at %s: %s', (name, type, version, expected) => {
    expect(shown(ask(name, type, { version }))).toBe(expected)
  })
})

describe('namespaces (extended edition)', () => {
  const catalog = aCatalog(
    node({ Node: 'a', Address: '10.0.0.1' }),
    service({ Node: 'a', ID: 'web', Service: 'web', Namespace: 'ops', Address: '10.0.0.2' }),
  )
  const options: Options = { catalog, hasNamespaces: true }
  test.each([
    ['web.service.ops.dc1.consul', 'NOERROR; A 10.0.0.2'],
    ['web.service.default.dc1.consul', 'NXDOMAIN; authority SOA'],
    ['web.service.ops.dc2.consul', 'NXDOMAIN; authority SOA'],
    ['web.service.dc1.consul', 'NXDOMAIN; authority SOA'],
  ])('%s: %s', (name, expected) => {
    expect(shown(ask(name, 'A', options))).toBe(expected)
  })
})
