/** The examples of all resources, by route. */
import { examples as agent, checkExamples, processExamples } from './agent/examples.ts'
import { examples as authMethods } from './auth-methods/examples.ts'
import { examples as bindingRules } from './binding-rules/examples.ts'
import { examples as catalog } from './catalog/examples.ts'
import { examples as configEntries } from './config-entries/examples.ts'
import type { ResourceName } from './contract.ts'
import { examples as coordinates } from './coordinates/examples.ts'
import { examples as datacenters } from './datacenters/examples.ts'
import { examples as decisions } from './decisions/examples.ts'
import { examples as health } from './health/examples.ts'
import { examples as intentions } from './intentions/examples.ts'
import { examples as kv } from './kv/examples.ts'
import { examples as legacy } from './legacy/examples.ts'
import { examples as login } from './login/examples.ts'
import { examples as namespaces } from './namespaces/examples.ts'
import { examples as operations } from './operations/examples.ts'
import { examples as policies } from './policies/examples.ts'
import { examples as roles } from './roles/examples.ts'
import type { RouteName } from './routes.ts'
import { examples as sessions } from './sessions/examples.ts'
import type { Examples, ExamplesOf } from './shared/example.ts'
import { examples as snapshots } from './snapshots/examples.ts'
import { examples as tokens } from './tokens/examples.ts'
import { examples as txn } from './txn/examples.ts'

const BY_RESOURCE: { readonly [R in ResourceName]: ExamplesOf<R> } = {
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
  catalog,
  health,
  agent,
  agentChecks: checkExamples,
  agentProcess: processExamples,
  operations,
  snapshots,
  datacenters,
  legacy,
}

/** The examples of each route. */
export const EXAMPLES = Object.fromEntries(
  Object.entries(BY_RESOURCE).flatMap(([resource, examples]) =>
    Object.entries(examples).map(([operation, example]) => [`${resource}.${operation}`, example]),
  ),
) as Readonly<Record<RouteName, Examples>>
