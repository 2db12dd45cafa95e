/**
 * A hash of everything that the text of a list depends on besides its tokens: the directory, and the code and settings
 * that render it.
 */
import { createHash } from 'node:crypto'
import { BLANK_TOKEN, type Directory, GLOBAL_MANAGEMENT_POLICY_ID, type TokenRecord } from '@latchkey/acl'
import type { TokenListRequest } from '@latchkey/service'

/** Tokens that together use every field. Another version, edition or setting renders them differently. */
const SAMPLES: readonly TokenRecord[] = [
  {
    ...BLANK_TOKEN,
    AccessorID: 'accessor',
    SecretID: 'secret',
    Description: 'description "',
    Policies: [{ ID: GLOBAL_MANAGEMENT_POLICY_ID }, { ID: 'gone' }],
    Roles: [{ ID: 'gone' }],
    ServiceIdentities: [{ ServiceName: 'service', Datacenters: ['dc1'] }],
    NodeIdentities: [{ NodeName: 'node', Datacenter: 'dc1' }],
    AuthMethod: 'method',
    AuthMethodNamespace: 'namespace',
    LoginIdentity: 'identity',
    ExpirationTime: '9999-01-01T00:00:00Z',
    Local: true,
    CreateTime: '2020-01-01T00:00:00Z',
    Hash: 'hash',
    CreateIndex: 1,
    ModifyIndex: 2,
    Namespace: 'namespace',
  },
  { ...BLANK_TOKEN, AccessorID: 'legacy', SecretID: 'secret', Rules: 'rules', Type: 'client' },
]

/** @returns undefined if the directory has changed since the request was admitted. */
export function basisOf({ store, directoryVersion, show }: TokenListRequest): string | undefined {
  const directory = store.directory()
  if (directory.version !== directoryVersion) return undefined
  return `${digestOf(directory)} ${hash(show(SAMPLES).text)}`
}

const known = new WeakMap<Directory, string>()

function digestOf(directory: Directory): string {
  const digest = known.get(directory) ?? hash(JSON.stringify(factsOf(directory)))
  known.set(directory, digest)
  return digest
}

/** Names of links, what decides whether a secret is redacted, and which tokens act as absent. */
function factsOf(directory: Directory): unknown {
  return {
    policies: Array.from(directory.policies(), ({ ID, Name }) => [ID, Name]),
    roles: Array.from(directory.roles(), ({ ID, Name, Policies }) => [ID, Name, Policies]),
    methods: Array.from(directory.authMethods(), ({ Namespace, Name, Generation }) => [
      Namespace,
      Name,
      Generation,
    ]),
    isReplicating: directory.system('replication') !== undefined,
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
