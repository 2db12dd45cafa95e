/** Policies and roles, which can be ensured by name. Spec 2.2, 2.3. */
import type { Core } from '../core.ts'
import { Conflict, NotFound } from '../errors.ts'
import { Policies as RegularPolicies } from '../generated/policies.ts'
import { Roles as RegularRoles } from '../generated/roles.ts'
import type { Mode, Result, WithMeta } from '../meta.ts'
import type { CallOptions } from '../options.ts'
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
    const { settings } = this.#core
    const { Name } = policy
    const where = { ...options, namespace: policy.Namespace || options.namespace }
    return this.#core.shape(
      await ensure<Policy>({
        read: () => send(settings, { endpoint: 'policies.readByName', params: { Name }, options: where }),
        create: () =>
          send(settings, { endpoint: 'policies.create', json: policy, repeatable: 'always', options }),
        update: ({ ID }) =>
          send(settings, {
            endpoint: 'policies.update',
            params: { ID },
            json: policy,
            repeatable: 'unlessPending',
            options,
          }),
        isSame: (found) =>
          found.Description === (policy.Description ?? '') &&
          found.Rules === (policy.Rules ?? '') &&
          String(found.Datacenters ?? []) === String(policy.Datacenters ?? []),
      }),
    )
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
    const { settings } = this.#core
    const { Name } = role
    const where = { ...options, namespace: role.Namespace || options.namespace }
    return this.#core.shape(
      await ensure<Role>({
        read: () => send(settings, { endpoint: 'roles.readByName', params: { Name }, options: where }),
        create: () => send(settings, { endpoint: 'roles.create', json: role, repeatable: 'always', options }),
        update: ({ ID }) =>
          send(settings, {
            endpoint: 'roles.update',
            params: { ID },
            json: role,
            repeatable: 'unlessPending',
            options,
          }),
        isSame: (found) =>
          found.Description === (role.Description ?? '') &&
          hasLinks(found.Policies, role.Policies) &&
          hasRecords(found.ServiceIdentities, role.ServiceIdentities) &&
          hasRecords(found.NodeIdentities, role.NodeIdentities),
      }),
    )
  }
}

/** Maximum attempts if other clients keep creating and deleting the record. */
const ROUNDS_MAX = 3

interface Ways<T> {
  readonly read: () => Promise<WithMeta<T>>
  /** Safe to retry: if an earlier attempt was applied, the next one is a conflict. */
  readonly create: () => Promise<WithMeta<T>>
  readonly update: (found: T) => Promise<WithMeta<T>>
  readonly isSame: (found: T) => boolean
}

/**
 * Creates the record if it is missing, or updates it if it differs. Starts over if another client creates or deletes it
 * concurrently.
 */
async function ensure<T>(ways: Ways<T>): Promise<WithMeta<T>> {
  for (let round = 1; ; round += 1) {
    try {
      const found = await ways.read().catch(absentAsUndefined)
      if (found === undefined) return await ways.create()
      return ways.isSame(found.value) ? found : await ways.update(found.value)
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
