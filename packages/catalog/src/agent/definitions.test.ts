import { type CheckDefinition, limits, type ServiceDefinition } from '@latchkey/contract'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { describe, expect, test } from 'vitest'
import { cutOutput, readCheckDefinition } from './check-definition.ts'
import { readServiceDefinition } from './service-definition.ts'

const check = (body: CheckDefinition) => readCheckDefinition({ Name: 'c', ...body })
const runOf = (body: CheckDefinition) => check(body).agent.run

describe('checks', () => {
  test('ID, then CheckID, then the name is its ID; it is critical until its first result', () => {
    expect(check({ TTL: 1_000 })).toMatchObject({
      CheckID: 'c',
      Name: 'c',
      Status: 'critical',
      ServiceID: '',
    })
    expect(check({ TTL: 1_000, CheckID: 'b', Status: 'passing' })).toMatchObject({
      CheckID: 'b',
      Status: 'passing',
    })
    expect(check({ TTL: 1_000, CheckID: 'b', ID: 'a' }).CheckID).toBe('a')
  })

  test('the fields make the type, with defaults and bounds', () => {
    expect(runOf({ TTL: 1 })).toEqual({ type: 'ttl', ttlMs: 1 })
    expect(runOf({ TCP: 'a:1', Interval: 1 })).toEqual({
      type: 'tcp',
      address: 'a:1',
      intervalMs: limits.CHECK_INTERVAL_MS_MIN,
      timeoutMs: limits.CHECK_TIMEOUT_MS_DEFAULT,
    })
    expect(runOf({ HTTP: 'http://a', Interval: 5_000, Timeout: 2_000, Method: 'POST' })).toMatchObject({
      type: 'http',
      url: 'http://a',
      method: 'POST',
      intervalMs: 5_000,
      timeoutMs: 2_000,
      skipsVerify: false,
    })
    expect(runOf({ AliasService: 'web' })).toEqual({ type: 'alias', service: 'web', node: '' })
    // As in existing services, an interval is refused only together with HTTP or TCP.
    expect(runOf({ AliasNode: 'n', Interval: 1_000 })).toEqual({ type: 'alias', service: '', node: 'n' })
    expect(check({ TTL: 1, OutputMaxSize: 10, DeregisterCriticalServiceAfter: 1_000 }).agent).toEqual({
      run: { type: 'ttl', ttlMs: 1 },
      outputBytesMax: 10,
      successesToPass: 1,
      failuresToFail: 1,
      deregisterAfterMs: limits.DEREGISTER_AFTER_MS_MIN,
    })
  })

  test.each<readonly [CheckDefinition, string]>([
    [{ Name: '' }, 'Missing check name'],
    [{ TTL: 1, Status: 'unknown' }, 'Bad check status'],
    [{ TTL: 1, Interval: 1 }, 'Invalid check: Interval and TTL cannot both be specified'],
    [{ HTTP: 'http://a' }, 'Invalid check: Interval must be > 0 for Script, HTTP, or TCP checks'],
    [{}, 'Invalid check: TTL must be > 0 for TTL checks'],
    [
      { AliasService: 'a', TCP: 'a:1', Interval: 1 },
      'Invalid check: Interval cannot be set for Alias checks',
    ],
    [{ AliasService: 'a', TTL: 1 }, 'Invalid check: TTL must be not be set for Alias checks'],
    [{ TTL: 1, OutputMaxSize: -1 }, 'Invalid check: MaxOutputMaxSize must be positive'],
  ])('%j is refused: %s', (body, message) => {
    const refusal = refusalOf(() => check(body))
    expect(refusal).toMatchObject({ code: expect.stringMatching(/^field_/), message })
  })

  test('scripts are refused: they would run programs on the server', () => {
    const body: object = { ScriptArgs: ['/bin/true'], Interval: 1_000 }
    expect(refusalOf(() => check(body)).message).toContain('Scripts are disabled on this agent')
  })

  test('output is cut to its bytes, between characters, and says what was cut', () => {
    expect(cutOutput('a'.repeat(4_096), 4_096)).toHaveLength(4_096)
    expect(cutOutput('a'.repeat(5_000), 4_096)).toBe(`${'a'.repeat(4_096)} ... (captured 4096 of 5000 bytes)`)
    expect(cutOutput('aé', 2)).toBe('a ... (captured 2 of 3 bytes)')
  })
})

const service = (body: ServiceDefinition) => readServiceDefinition({ Name: 'web', ...body })

describe('services', () => {
  test('the name is its ID, weights are 1 and 1, and there is no metadata', () => {
    expect(service({})).toMatchObject({
      service: { ID: 'web', Service: 'web', Tags: [], Meta: null, Weights: { Passing: 1, Warning: 1 } },
      checks: [],
    })
  })

  test('an IP address gets the tags of its family, unless they are given', () => {
    const given = { wan_ipv4: { Address: '1.2.3.4', Port: 5 } }
    expect(
      service({ Address: '10.0.0.1', Port: 80, TaggedAddresses: given }).service.TaggedAddresses,
    ).toEqual({ lan_ipv4: { Address: '10.0.0.1', Port: 80 }, wan_ipv4: { Address: '1.2.3.4', Port: 5 } })
    expect(Object.keys(service({ Address: 'fe80::1' }).service.TaggedAddresses)).toEqual([
      'lan_ipv6',
      'wan_ipv6',
    ])
    expect(service({ Address: 'db.example' }).service.TaggedAddresses).toEqual({})
  })

  test('one check has the ID of the service, several have numbers', () => {
    const ttl = { TTL: 1 }
    const ids = (body: ServiceDefinition) => service(body).checks.map(({ CheckID }) => CheckID)
    expect(ids({ Check: ttl })).toEqual(['service:web'])
    expect(ids({ Check: {} })).toEqual([])
    expect(ids({ Check: ttl, Checks: [{ ...ttl, CheckID: 'own' }, ttl] })).toEqual([
      'service:web:1',
      'own',
      'service:web:3',
    ])
    expect(service({ Check: ttl }).checks[0]?.Name).toBe("Service 'web' check")
  })

  const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, '']))
  test.each<readonly [ServiceDefinition, string]>([
    [{ Name: '' }, 'Missing service name'],
    [{ Address: '0.0.0.0' }, 'Invalid service address'],
    [{ Address: '::' }, 'Invalid service address'],
    [{ Port: 2 ** 31 }, 'The port is out of range'],
    [{ Weights: { Passing: 0, Warning: 1 } }, 'Invalid Weights: Passing must be greater than 0'],
    [{ Weights: { Passing: 1, Warning: -1 } }, 'Invalid Weights: Warning must be greater or equal than 0'],
    [{ Weights: { Passing: 65_536, Warning: 1 } }, 'Invalid Weights: DNS Weight must be between 0 and 65535'],
    [
      { Meta: { '': 'v' } },
      "Invalid Service Meta: Couldn't load metadata pair ('', 'v'): Key cannot be blank",
    ],
    [
      { Meta: { 'a b': 'v' } },
      "Invalid Service Meta: Couldn't load metadata pair ('a b', 'v'): Key contains invalid characters",
    ],
    [
      { Meta: { 'consul-x': 'v' } },
      "Invalid Service Meta: Couldn't load metadata pair ('consul-x', 'v'): Key prefix 'consul-' is reserved for internal use",
    ],
    [{ Meta: pairs(65) }, 'Invalid Service Meta: Node metadata cannot contain more than 64 key/value pairs'],
    [{ Check: { TTL: 1, Status: 'x' } }, "Status for checks must 'passing', 'warning', 'critical'"],
    [
      { Kind: 'connect-proxy', Port: 0 },
      '2 errors occurred:\n\t* Proxy.DestinationServiceName must be non-empty for Connect proxy services\n\t* Port must be set for a Connect proxy\n\n',
    ],
    [
      { TaggedAddresses: { lan_ipv4: { Address: 'fe80::1' } } },
      'Service tagged address "lan_ipv4" must be a valid ipv4 address',
    ],
  ])('%j is refused: %s', (body, message) => {
    const refusal = refusalOf(() => service(body))
    expect(refusal).toMatchObject({ code: expect.stringMatching(/^field_/), message })
  })

  test('64 pairs of metadata, and a key and a value of the longest length, are kept', () => {
    const Meta = { ...pairs(63), ['k'.repeat(128)]: 'v'.repeat(512) }
    expect(service({ Meta }).service.Meta).toEqual(Meta)
  })
})
