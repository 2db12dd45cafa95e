/**
 * The whole API as one ts-rest contract, with a router for each resource. Routes, types, method tables, OpenAPI and
 * documentation derive from it.
 */
import { agent, agentChecks, agentProcess } from './agent/routes.ts'
import { areas } from './areas/routes.ts'
import { authMethods } from './auth-methods/routes.ts'
import { bindingRules } from './binding-rules/routes.ts'
import { catalog } from './catalog/routes.ts'
import { configEntries } from './config-entries/routes.ts'
import { coordinates } from './coordinates/routes.ts'
import { datacenters } from './datacenters/routes.ts'
import { decisions } from './decisions/routes.ts'
import { health } from './health/routes.ts'
import { intentions } from './intentions/routes.ts'
import { kv } from './kv/routes.ts'
import { legacy } from './legacy/routes.ts'
import { login } from './login/routes.ts'
import { namespaces } from './namespaces/routes.ts'
import { operations } from './operations/routes.ts'
import { operator } from './operator/routes.ts'
import { policies } from './policies/routes.ts'
import { roles } from './roles/routes.ts'
import { c } from './route.ts'
import { sessions } from './sessions/routes.ts'
import { snapshots } from './snapshots/routes.ts'
import { tokens } from './tokens/routes.ts'
import { txn } from './txn/routes.ts'

export const contract = c.router({
  tokens,
  policies,
  roles,
  namespaces,
  authMethods,
  bindingRules,
  login,
  decisions,
  kv,
  txn,
  sessions,
  intentions,
  configEntries,
  coordinates,
  areas,
  catalog,
  health,
  agent,
  agentChecks,
  agentProcess,
  operations,
  operator,
  snapshots,
  datacenters,
  legacy,
})
export type Contract = typeof contract
export type ResourceName = keyof Contract

/** A description of each resource, in the order of the documents. */
export const RESOURCES = {
  tokens: 'Create, read, update, list, clone and delete tokens. Sections 2 and 4.',
  policies: 'Named rule texts that tokens and roles link.',
  roles: 'Named bundles of policies and identities that tokens link.',
  namespaces: 'Separate sets of tokens, policies, roles and keys: extended edition. Section 4.9.',
  authMethods: 'Identity providers whose credentials a login exchanges for a token.',
  bindingRules: 'Rules for the links that the tokens of an auth method get.',
  login: 'Log in with a credential of an identity provider, and log out.',
  decisions: 'Ask what a token may do, and which tokens may do something. Section 5.',
  kv: 'A small key-value store, protected by policies. Section 5.4.',
  txn: 'Operations on keys, nodes, services and checks, applied together or not at all.',
  sessions: 'Sessions hold locks on keys. Sections 9.3 and 9.4.',
  intentions: 'Which services may connect to which. Sections 9.3 and 9.5.',
  configEntries: 'Intentions as config entries, one for each destination, from 1.9.0. Section 9.5.',
  coordinates: 'Estimated round-trip times between nodes. Section 9.4.',
  areas: 'Network areas, which link two datacenters: extended edition. Section 9.4.',
  catalog: 'Nodes, services and checks that are registered in this datacenter. Sections 9.3 and 9.4.',
  health: 'Instances of services with their checks, and the status of checks. Sections 9.3 and 9.4.',
  agent: "Services of the server's node, and their health. Section 9.4.",
  agentChecks: "Checks of the server's node, and reports from clients. Section 9.4.",
  agentProcess: 'The server process: membership, machine, shutdown. Section 9.4.',
  operations: 'The service itself: processes, replication, migration. Sections 9.3 and 9.4.',
  operator: 'The servers of the datacenter, as operators of existing services list and remove them.',
  snapshots: 'Backup and restore of the whole store. Section 9.4.',
  datacenters: 'Decisions of an operator about replication between datacenters. An extension.',
  legacy: 'The API before 1.4.0, removed in 1.11. Sections 9.1 and 9.2.',
} as const satisfies Record<ResourceName, string>
