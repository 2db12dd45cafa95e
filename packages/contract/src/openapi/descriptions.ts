/** What each operation does, beyond its summary: the rules that a caller meets. Details: the API reference. */
import type { EndpointName } from '../endpoints.ts'

export const OPERATION_DESCRIPTIONS: Readonly<Record<EndpointName, string>> = {
  'tokens.create':
    'Ids may be chosen, and must be new among accessors and secrets alike. Links name policies and roles by ID or Name. The token lives for ever, until ExpirationTime, or for ExpirationTTL: 1 minute to 24 hours, both included.',
  'tokens.self':
    'The token of the presented secret, with its real SecretID. Needs no right. Without a token there is no self: 403.',
  'tokens.clone':
    'A new token with the description (unless the body has one), links, Local and ExpirationTime of the source. Only Description and Namespace of the body count.',
  'tokens.read':
    'SecretID is real for a caller with `acl:write` and `<hidden>` for one with `acl:read` alone. A wait for a token that is not there ends when it is created.',
  'tokens.update':
    'Description and the four link lists are replaced: what is left out is cleared. SecretID, AuthMethod and ExpirationTime are kept, and may be repeated but not changed. Local must be equal: a local token needs `"Local": true`.',
  'tokens.delete':
    'The secret stops working at once. A caller cannot delete the token it presents, and nobody the anonymous one.',
  'tokens.list':
    'In order of creation, expired tokens left out, at most one filter. With `limit` the answer is a page, and `Next-Cursor` leads on.',
  'policies.create': 'Rules are read before they are stored: a fault is refused with line and column.',
  'policies.lint': 'Stores nothing and needs no token. Errors are what a create would refuse.',
  'policies.readByName': 'Names match without case.',
  'policies.whatIf':
    'Changes nothing. Tokens that link the policy directly or through a role are judged with both texts, by up to 10,000 questions about what differs. In pages, which end early where there is much to compare or to list.',
  'policies.read': 'The record with its rules as they were written.',
  'policies.update':
    'Everything is replaced: what is left out is cleared. Takes effect on the next request of every token that links it. The rules of `global-management` cannot change.',
  'policies.delete': 'Links to it disappear from tokens and roles, and so do the rights.',
  'policies.list': 'In order of ID, without rules.',
  'roles.create': 'A role bundles policies and identities; tokens link it.',
  'roles.readByName': 'Names match without case.',
  'roles.read': 'The record with the current names of its policies.',
  'roles.update': 'Everything is replaced: what is left out is cleared. Takes effect on the next request.',
  'roles.delete': 'Links to it disappear from tokens, and so do the rights.',
  'roles.list': 'In order of ID.',
  'namespaces.create':
    'Its defaults are linked to every token in it. Policies and roles are those of the namespace itself.',
  'namespaces.read': '`default` always exists.',
  'namespaces.update': 'Description and defaults are replaced: what is left out is cleared.',
  'namespaces.delete': 'Refused while it holds tokens, policies, roles or keys, and for `default`.',
  'namespaces.list': 'In order of Name.',
  bootstrap:
    'Works once; afterwards only with a reset file in the data directory, which names the index that the refusal tells.',
  'acl.replication': 'Zero values in the primary datacenter.',
  authorize:
    'Answers in the order of the checks. Without a token the anonymous one is asked about; an unknown one is refused. With `accessor` another token is asked about.',
  'acl.whoCan': 'In the order of the token list, in pages.',
  'acl.migration': 'How far the accessors of legacy tokens are.',
  'rules.translate':
    'Text in, text out. Never widens rights: what the legacy system ignored is commented out, and the text says so.',
  'rules.translateToken': 'The same for the rules that a token has.',
  'legacy.create': 'An existing ID is overwritten. The body may be left out.',
  'legacy.update': 'As create, but the ID must be given. An unknown one creates.',
  'legacy.destroy': '`true`, also for a secret that nothing has. Works on tokens of the token API too.',
  'legacy.info': 'An array of one, or empty. Whoever knows the secret may see its token.',
  'legacy.clone': 'A new secret with the same name, type and rules.',
  'legacy.list': 'In order of ID.',
  'legacy.import':
    'Takes what `GET /v1/acl/list` of a legacy cluster answered. One problem of severity error stops it all.',
  'legacy.export': 'All legacy tokens with their secrets.',
  'kv.read':
    'One key (404 where there is none), a tree, or names. Without the right to a key: 403, whether it exists or not. Trees and names show what the caller may read.',
  'kv.write': '`false` where `cas` does not hold.',
  'kv.delete':
    '`true`, also for what was not there; `false` where `cas` does not hold. A tree needs `write-prefix`.',
  'status.leader': 'As `host:port`; empty where none is known.',
  'status.peers': 'As `host:port`, of those that are alive.',
  'agent.self': 'Config is small; the whole configuration, without secrets, stands under DebugConfig.',
  'agent.members': 'Failed ones and those that left are shown for a while.',
  'agent.metrics':
    'As JSON, or for Prometheus. Counted from the start of the process: take the difference of two answers.',
  'catalog.datacenters': 'The own one first.',
  versions: 'Every version gate with an edge after `from` and not after `to`, oldest first.',
  openapi: 'This document, for the service version that the server speaks as.',
}
