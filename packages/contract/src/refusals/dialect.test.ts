import { expect, test } from 'vitest'
import { ACL_ERROR_CODES, type AclErrorCode } from '../errors.ts'
import { ROUTE_LIST } from '../routes.ts'
import { dialectOf, statusOf } from './dialect.ts'

/** Codes by our status and the reference's, as it answered the same requests. */
const STATUSES = {
  '400 400':
    'body_malformed body_required field_unknown field_type query_invalid version_invalid path_invalid header_invalid namespace_unsupported id_missing accessor_mismatch field_too_long batch_too_large',
  '400 500':
    'datacenter_unknown id_invalid id_reserved field_required field_invalid field_immutable local_mismatch name_invalid expiration_out_of_bounds expiration_conflict link_unknown selector_invalid filter_invalid filter_conflict rules_invalid clone_refused delete_refused builtin_immutable legacy_token_immutable legacy_rules_missing snapshot_invalid bootstrap_reset_invalid session_unknown check_critical session_incompatible token_replication_off',
  '401 401': 'acl_disabled',
  '403 403':
    'privilege_missing caller_unknown bootstrap_done bootstrap_elsewhere root_name_refused auth_method_unknown login_unbound origin_foreign',
  '403 500': 'legacy_mode login_refused',
  '404 404': 'not_found endpoint_unknown',
  '405 405': 'method_not_allowed',
  '408 408': 'request_timeout',
  '409 409': 'replication_refused primary_superseded',
  '409 500': 'id_in_use name_in_use intention_in_use intention_edited snapshot_refused',
  '410 410': 'endpoint_removed',
  '413 413': 'body_too_large answer_too_large transaction_too_large',
  '414 414': 'url_too_long',
  '421 421': 'host_not_allowed',
  '429 429': 'too_many_connections too_many_live_tokens too_many_logins',
  '500 500': 'internal',
  '501 501': 'endpoint_not_built',
  '503 500':
    'provider_unavailable unavailable database_full database_read_only database_overloaded database_refused database_damaged intentions_migrating copy_incomplete datacenter_unreachable',
  '504 500': 'datacenter_silent',
}

/** Where it answered a route otherwise. */
const OF_ROUTES: Readonly<Record<string, number>> = {
  'tokens.delete not_found': 200,
  'policies.delete not_found': 200,
  'roles.delete not_found': 200,
  'authMethods.delete not_found': 200,
  'bindingRules.delete not_found': 200,
  'tokens.read not_found': 403,
  'tokens.clone not_found': 403,
  'policies.read not_found': 403,
  'policies.readByName not_found': 403,
  'legacy.translateToken not_found': 403,
  'tokens.update not_found': 500,
  'policies.update not_found': 500,
  'roles.update not_found': 500,
  'bindingRules.update not_found': 500,
  'intentions.update not_found': 500,
  'intentions.update field_too_long': 500,
  'intentions.delete not_found': 500,
  'intentions.delete id_missing': 500,
  'intentions.read id_invalid': 400,
  'intentions.create body_malformed': 500,
  'intentions.create body_required': 500,
  'intentions.create field_unknown': 500,
  'intentions.create field_type': 500,
  'intentions.create field_too_long': 500,
  'coordinates.node id_missing': 404,
  'agent.service id_missing': 404,
  'agent.serviceHealth id_missing': 500,
  'agent.healthByName id_missing': 500,
  'agent.deregisterService not_found': 500,
  'agent.deregisterService id_missing': 500,
  'agent.serviceMaintenance not_found': 500,
  'agent.registerService field_required': 400,
  'agent.registerService field_invalid': 400,
  'agentChecks.register field_required': 400,
  'agentChecks.register field_invalid': 400,
  'agentChecks.register not_found': 500,
  'agentChecks.update field_invalid': 400,
  'agentChecks.update not_found': 500,
  ...Object.fromEntries(
    ['deregister', 'pass', 'warn', 'fail'].flatMap((route) => [
      [`agentChecks.${route} not_found`, 500],
      [`agentChecks.${route} id_missing`, 500],
    ]),
  ),
  'agentChecks.pass field_invalid': 500,
  'agentProcess.forceLeave not_found': 500,
  'operator.removePeer not_found': 500,
  'agentProcess.forceLeave id_missing': 500,
  'decisions.authorize field_invalid': 400,
  'legacy.translate rules_invalid': 400,
  'txn.apply field_invalid': 400,
}

const EXPECTED = new Map(
  Object.entries(STATUSES).flatMap(([statuses, codes]) =>
    codes.split(' ').map((code) => [code, statuses.split(' ').map(Number)] as const),
  ),
)

test('every code of every route has its status in both dialects', () => {
  expect([...EXPECTED.keys()].toSorted()).toEqual(ACL_ERROR_CODES.toSorted())
  const rows = ROUTE_LIST.flatMap((route) => route.refusals.map((code) => ({ route, code })))
  const shown = rows.map(({ route, code }) => [
    `${route.name} ${code}`,
    statusOf({ code }, 'service', route),
    statusOf({ code }, 'reference', route),
  ])
  expect(shown).toEqual(
    rows.map(({ route, code }) => {
      const name = `${route.name} ${code}`
      const [own, reference] = EXPECTED.get(code) ?? []
      return [name, own, OF_ROUTES[name] ?? reference]
    }),
  )
  expect(Object.keys(OF_ROUTES).filter((name) => !shown.some(([each]) => each === name))).toEqual([])
})

test.each<[string, AclErrorCode, string, number]>([
  ['kv.write', 'query_invalid', 'flags', 500],
  ['kv.write', 'query_invalid', 'cas', 500],
  ['kv.write', 'query_invalid', 'acquire', 400],
  ['kv.write', 'id_missing', 'acquire', 500],
  ['kv.write', 'id_missing', 'release', 500],
  ['kv.delete', 'query_invalid', 'cas', 500],
  ['sessions.create', 'field_invalid', 'LockDelay', 400],
  ['sessions.create', 'field_invalid', 'TTL', 500],
  ['authMethods.create', 'field_unknown', 'Config.Foo', 500],
  ['authMethods.update', 'field_type', 'Config.BoundAudiences[0]', 500],
  ['authMethods.update', 'field_unknown', 'Foo', 400],
  ['login.login', 'field_required', 'AuthMethod', 403],
  ['login.login', 'field_required', 'BearerToken', 500],
  ['policies.create', 'field_invalid', 'ID', 400],
  ['roles.create', 'field_invalid', 'ID', 400],
  ['agent.registerService', 'field_invalid', 'Check.ScriptArgs', 400],
  ['agentChecks.register', 'field_invalid', 'ScriptArgs', 500],
  ['configEntries.write', 'field_invalid', 'Kind', 400],
  ['intentions.create', 'field_required', 'DestinationName', 403],
  ['intentions.match', 'query_invalid', 'by', 500],
  ['txn.apply', 'field_invalid', '[0].KV.Value', 400],
])('%s %s of %s: %i in the dialect of the reference', (name, code, field, status) => {
  const route = ROUTE_LIST.find((each) => each.name === name)
  expect(statusOf({ code, field }, 'reference', route)).toBe(status)
})

test.each([
  ['X-Consul-', 'family', 'reference'],
  ['x-consul-', 'family', 'reference'],
  ['X-Service-', 'family', 'service'],
  ['X-Other-', 'family', 'service'],
  ['X-Consul-', 'service', 'service'],
  ['X-Service-', 'reference', 'reference'],
] as const)('prefix %s with status codes %s: %s', (prefix, codes, dialect) => {
  expect(dialectOf(prefix, codes)).toBe(dialect)
})
