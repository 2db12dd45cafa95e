/** The variants of mocks and server that together run every case. */
import { createMockService, type MockServiceOptions } from '@latchkey/mocks'
import { PLAIN_TRAITS, type Traits } from '../src/index.ts'

export const MANAGEMENT_TOKEN = '11111111-2222-4333-8444-555555555555'

export interface Variant {
  readonly name: string
  readonly traits: Traits
  readonly mock: MockServiceOptions
  /** Settings of the server; `undefined` if the server has no such variant. */
  readonly server: Readonly<Record<string, string>> | undefined
  /** Whether every test run includes this variant of the server; the others run with LATCHKEY_FULL=1. */
  readonly always?: true
  /** Version of an older server on the same database, which keeps the newer one in legacy mode. */
  readonly besideVersion?: string
  /** Whether the server follows another one, the primary datacenter. */
  readonly isSecondary?: true
}

function version(name: string, over: Partial<Traits> = {}): Variant {
  return {
    name,
    traits: { ...PLAIN_TRAITS, version: name, ...over },
    mock: { serviceVersion: name },
    server: { LATCHKEY_SERVICE_VERSION: name },
  }
}

export const VARIANTS: readonly Variant[] = [
  { name: 'plain', traits: PLAIN_TRAITS, mock: {}, server: {}, always: true },
  { name: 'frozen time', traits: PLAIN_TRAITS, mock: { clock: '2026-01-01T00:00:00Z' }, server: undefined },
  {
    name: 'extended edition',
    traits: { ...PLAIN_TRAITS, edition: 'extended' },
    mock: { edition: 'extended' },
    server: { LATCHKEY_EDITION: 'extended', LATCHKEY_AUTH_METHOD_HTTP: 'true' },
    always: true,
  },
  version('1.10'),
  version('1.8.0'),
  version('1.6.0'),
  version('1.4.0'),
  version('1.3.0', { mode: 'legacy' }),
  version('0.7', { mode: 'legacy' }),
  {
    ...version('1.10', { mode: 'legacy' }),
    name: 'legacy mode',
    mock: { serviceVersion: '1.10', aclMode: 'legacy' },
    besideVersion: '1.3.0',
    always: true,
  },
  {
    name: 'not bootstrapped',
    traits: { ...PLAIN_TRAITS, bootstrap: 'open' },
    mock: { managementToken: false },
    server: { LATCHKEY_INITIAL_MANAGEMENT_TOKEN: '' },
  },
  {
    name: 'ACLs off',
    traits: { ...PLAIN_TRAITS, acl: 'off' },
    mock: { aclEnabled: false },
    server: { LATCHKEY_ACL_ENABLED: 'off' },
  },
  {
    name: 'ACLs off before 1.11, extended edition',
    traits: { ...PLAIN_TRAITS, acl: 'off', version: '1.8.7', edition: 'extended' },
    mock: { aclEnabled: false, serviceVersion: '1.8.7', edition: 'extended' },
    server: { LATCHKEY_ACL_ENABLED: 'off', LATCHKEY_SERVICE_VERSION: '1.8.7', LATCHKEY_EDITION: 'extended' },
  },
  {
    name: 'default allow',
    traits: { ...PLAIN_TRAITS, defaultPolicy: 'allow' },
    mock: { defaultPolicy: 'allow' },
    server: { LATCHKEY_DEFAULT_POLICY: 'allow' },
  },
  {
    name: 'secondary datacenter',
    traits: { ...PLAIN_TRAITS, datacenter: 'secondary' },
    mock: {
      datacenter: 'dc2',
      primaryDatacenter: 'dc1',
      datacenters: { dc1: createMockService({ baseUrl: 'https://dc1.test' }) },
    },
    server: {},
    isSecondary: true,
  },
]
