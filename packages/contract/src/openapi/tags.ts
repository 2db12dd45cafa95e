/** Groups of operations, in the order of their importance to a reader. */
import type { EndpointName } from '../endpoints.ts'

export const TAGS = [
  { name: 'tokens', description: 'Create, read, update, list, clone and delete tokens. Sections 2 and 4.' },
  { name: 'policies', description: 'Named rule texts that tokens and roles link.' },
  { name: 'roles', description: 'Named bundles of policies and identities that tokens link.' },
  {
    name: 'namespaces',
    description: 'Separate sets of tokens, policies, roles and keys: extended edition. Section 4.9.',
  },
  { name: 'authorize', description: 'Ask what a token may do, and who may do something. Section 5.' },
  { name: 'system', description: 'The ACL system as a whole: bootstrap, replication, migration.' },
  { name: 'key-value', description: 'A small key-value store, guarded by the rules. Section 5.4.' },
  { name: 'service', description: 'What the service says of itself. Sections 9.3 and 9.4.' },
  { name: 'legacy', description: 'The API before 1.4.0, gone from 1.11. Sections 9.1 and 9.2.' },
] as const

type TagName = (typeof TAGS)[number]['name']

const TAG_BY_START: readonly (readonly [string, TagName])[] = [
  ['tokens.', 'tokens'],
  ['policies.', 'policies'],
  ['roles.', 'roles'],
  ['namespaces.', 'namespaces'],
  ['authorize', 'authorize'],
  ['acl.whoCan', 'authorize'],
  ['acl.', 'system'],
  ['bootstrap', 'system'],
  ['kv.', 'key-value'],
  ['legacy.', 'legacy'],
  ['rules.', 'legacy'],
]

export function tagOf(name: EndpointName): TagName {
  return TAG_BY_START.find(([start]) => name.startsWith(start))?.[1] ?? 'service'
}
