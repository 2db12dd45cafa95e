/** Policies and roles, which can be ensured by name. Spec 2.2, 2.3. */
import type { EndpointName } from '../contract.ts'
import type { Core } from '../core.ts'
import { Conflict, NotFound } from '../errors.ts'
import { Policies as RegularPolicies } from '../generated/policies.ts'
import { Roles as RegularRoles } from '../generated/roles.ts'
import type { Mode, Result, WithMeta } from '../meta.ts'
import type { CallOptions, Settings } from '../options.ts'
import type { Call, CallOf } from '../request/call.ts'
import { send } from '../request/send.ts'
import type { Policy, PolicyCreate, Role, RoleCreate } from '../types.ts'

export class Policies<M extends Mode> extends RegularPolicies<M> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    super(core)
    this.#core = core
  }

  /**
   * Ensures that a policy with this name has this content: creates it, updates it if it differs, or leaves it
   * unchanged. Fields that `policy` omits are cleared, as by {@link update}.
   *
   * @returns the resulting policy.
   */
  async ensure(
    policy: PolicyCreate & { readonly Name: string },
    options: CallOptions = {},
  ): Promise<Result<M, Policy>> {
    const isSame = (found: Policy) =>
      found.Description === (policy.Description ?? '') &&
      found.Rules === (policy.Rules ?? '') &&
      String(found.Datacenters ?? []) === String(policy.Datacenters ?? [])
    const { settings, shape } = this.#core
    return shape(await ensure<Policy>(settings, 'policies', { record: policy, isSame, options }))
  }
}

export class Roles<M extends Mode> extends RegularRoles<M> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    super(core)
    this.#core = core
  }

  /**
   * Ensures that a role with this name has this content: creates it, updates it if it differs, or leaves it unchanged.
   * Fields that `role` omits are cleared, as by {@link update}.
   *
   * @returns the resulting role.
   */
  async ensure(
    role: RoleCreate & { readonly Name: string },
    options: CallOptions = {},
  ): Promise<Result<M, Role>> {
    const isSame = (found: Role) =>
      found.Description === (role.Description ?? '') &&
      hasLinks(found.Policies, role.Policies) &&
      hasRecords(found.ServiceIdentities, role.ServiceIdentities) &&
      hasRecords(found.NodeIdentities, role.NodeIdentities)
    const { settings, shape } = this.#core
    return shape(await ensure<Role>(settings, 'roles', { record: role, isSame, options }))
  }
}

/** Maximum attempts if other clients keep creating and deleting the record. */
const ROUNDS_MAX = 3

interface Wanted<T> {
  readonly record: (PolicyCreate | RoleCreate) & { readonly Name: string }
  readonly isSame: (found: T) => boolean
  readonly options: CallOptions
}

/**
 * Creates the record if it is missing, or updates it if it differs. Starts over if another client creates or deletes it
 * concurrently.
 */
async function ensure<T extends Policy | Role>(
  settings: Settings,
  resource: 'policies' | 'roles',
  { record, isSame, options }: Wanted<T>,
): Promise<WithMeta<T>> {
  const ask = (
    call: Pick<Call, 'params' | 'json' | 'repeatable'>,
    way: 'readByName' | 'create' | 'update',
    each = options,
  ) =>
    send<EndpointName, T>(settings, {
      ...call,
      endpoint: `${resource}.${way}`,
      options: each,
    } as CallOf<EndpointName>)
  const where = { ...options, namespace: record.Namespace || options.namespace }
  for (let round = 1; ; round += 1) {
    try {
      const found = await ask({ params: { Name: record.Name } }, 'readByName', where).catch(absentAsUndefined)
      // Safe to retry: if an earlier attempt was applied, the next one is a conflict.
      if (found === undefined) return await ask({ json: record, repeatable: 'always' }, 'create')
      if (isSame(found.value)) return found
      const { ID } = found.value
      return await ask({ params: { ID }, json: record, repeatable: 'unlessPending' }, 'update')
    } catch (error) {
      const isOvertaken = error instanceof Conflict || error instanceof NotFound
      if (!isOvertaken || round === ROUNDS_MAX) throw error
    }
  }
}

function absentAsUndefined(error: unknown): undefined {
  if (!(error instanceof NotFound)) throw error
}

type Link = { readonly ID?: string | undefined; readonly Name?: string | undefined }

/** Whether the wanted links, by ID or name, equal the links of a record. */
function hasLinks(found: readonly Link[] = [], wanted: readonly Link[] = []): boolean {
  const isMeant = (link: Link, { ID, Name }: Link) =>
    ID ? link.ID?.toLowerCase() === ID.toLowerCase() : link.Name === Name
  return (
    wanted.every((want) => found.some((link) => isMeant(link, want))) &&
    found.every((link) => wanted.some((want) => isMeant(link, want)))
  )
}

/** Whether two lists contain the same plain records, in any order. */
function hasRecords(found: readonly object[] = [], wanted: readonly object[] = []): boolean {
  const texts = (records: readonly object[]) => [...new Set(records.map(canonical))].sort().join()
  return texts(found) === texts(wanted)
}

function canonical(record: object): string {
  const filled = Object.entries(record).filter(([, value]) => value !== undefined && String(value) !== '')
  return JSON.stringify(filled.sort(([a], [b]) => (a < b ? -1 : 1)))
}
