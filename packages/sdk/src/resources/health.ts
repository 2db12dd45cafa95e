/** Health of services and nodes. Spec 9.3, 9.4. */
import { type Core, call, watchCall } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import type { OwnNames, ReadOptions, WatchOptions } from '../options.ts'
import type { HealthCheck, NodeSummary, ServiceHealth, ServiceSummary } from '../types.ts'
import type { Watch } from '../watch.ts'

/** Options of a list of checks. */
export interface CheckListOptions extends ReadOptions, CheckSelection {}

export interface CheckSelection {
  /** Sort by distance from this node; `_agent` means the server's node. */
  readonly near?: string | undefined
  /** `key:value` pairs that the node must have. */
  readonly nodeMeta?: readonly string[] | undefined
  /** An expression that selects the records to return. */
  readonly filter?: string | undefined
}

/** Selects and sorts instances. */
export interface InstanceSelection extends CheckSelection {
  /** Tags that an instance must have. */
  readonly tags?: readonly string[] | undefined
  /** Return only instances whose checks all pass. */
  readonly passing?: boolean | undefined
}

export interface InstanceListOptions extends ReadOptions, InstanceSelection {}
export interface InstanceWatchOptions extends WatchOptions, InstanceSelection {}

const FILTER_NAMES: OwnNames<Pick<CheckSelection, 'filter'>> = { filter: true }
const CHECK_NAMES: OwnNames<CheckSelection> = { ...FILTER_NAMES, near: true, nodeMeta: true }
const INSTANCE_NAMES: OwnNames<InstanceSelection> = { ...CHECK_NAMES, tags: true, passing: true }

export class Health<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Lists the checks of a node and of its services.
   *
   * Endpoint `health.node` (GET /v1/health/node/:Node). Right: catalog. Spec 9.4. Errors: Invalid (filter_invalid,
   * field_too_long, answer_too_large, id_missing), PermissionDenied (caller_unknown, privilege_missing).
   */
  node(
    node: string,
    options: ReadOptions & Pick<CheckSelection, 'filter'> = {},
  ): Promise<Result<M, HealthCheck[]>> {
    return call(this.#core, {
      endpoint: 'health.node',
      params: { Node: node },
      ...ofFilter(options),
      options,
    })
  }

  /**
   * Lists the checks of a service.
   *
   * Endpoint `health.checks` (GET /v1/health/checks/:Service). Right: catalog. Spec 9.4. Errors: Invalid
   * (filter_invalid, field_too_long, answer_too_large, id_missing), PermissionDenied (caller_unknown,
   * privilege_missing).
   */
  checks(service: string, options: CheckListOptions = {}): Promise<Result<M, HealthCheck[]>> {
    return call(this.#core, {
      endpoint: 'health.checks',
      params: { Service: service },
      query: ofChecks(options),
      ownNames: CHECK_NAMES,
      options,
    })
  }

  /**
   * Lists the instances of a service with their checks.
   *
   * Endpoint `health.service` (GET /v1/health/service/:Service). Right: catalog. Spec 9.3. Errors: Invalid
   * (filter_invalid, field_too_long, answer_too_large, id_missing), PermissionDenied (caller_unknown,
   * privilege_missing).
   *
   * @example
   * const instances = await client.health.service('web', { passing: true })
   */
  service(service: string, options: InstanceListOptions = {}): Promise<Result<M, ServiceHealth[]>> {
    return call(this.#core, {
      endpoint: 'health.service',
      params: { Service: service },
      query: ofInstances(options),
      ownNames: INSTANCE_NAMES,
      options,
    })
  }

  /**
   * Follows the instances of a service: yields them at once, and again when they, their nodes or their checks change.
   *
   * Endpoint `health.service` (GET /v1/health/service/:Service). Right: catalog. Spec 9.3. Errors: Invalid
   * (filter_invalid, field_too_long, answer_too_large, id_missing), PermissionDenied (caller_unknown,
   * privilege_missing).
   *
   * @example
   * for await (const { value } of client.health.watchService('web', { passing: true })) balance(value)
   */
  watchService(service: string, options: InstanceWatchOptions = {}): Watch<ServiceHealth[]> {
    const question = {
      endpoint: 'health.service',
      params: { Service: service },
      query: ofInstances(options),
      ownNames: INSTANCE_NAMES,
    } as const
    return watchCall(this.#core, question, options)
  }

  /**
   * Lists the endpoints for connections to a service: native instances and proxies.
   *
   * Endpoint `health.connect` (GET /v1/health/connect/:Service). Right: catalog. An extension of the spec, from
   * service version 1.2.0. Errors: Invalid (filter_invalid, field_too_long, answer_too_large, id_missing),
   * PermissionDenied (caller_unknown, privilege_missing).
   */
  connect(service: string, options: InstanceListOptions = {}): Promise<Result<M, ServiceHealth[]>> {
    return call(this.#core, {
      endpoint: 'health.connect',
      params: { Service: service },
      query: ofInstances(options),
      ownNames: INSTANCE_NAMES,
      options,
    })
  }

  /**
   * Lists the ingress gateways of a service.
   *
   * Endpoint `health.ingress` (GET /v1/health/ingress/:Service). Right: catalog. An extension of the spec, from
   * service version 1.8.0. Errors: Invalid (filter_invalid, field_too_long, id_missing), PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  ingress(service: string, options: InstanceListOptions = {}): Promise<Result<M, ServiceHealth[]>> {
    return call(this.#core, {
      endpoint: 'health.ingress',
      params: { Service: service },
      query: ofInstances(options),
      ownNames: INSTANCE_NAMES,
      options,
    })
  }

  /**
   * Lists the checks in a state: `passing`, `warning`, `critical` or `any`.
   *
   * Endpoint `health.state` (GET /v1/health/state/:State). Right: catalog. Spec 9.4. Errors: Invalid
   * (filter_invalid, field_too_long, answer_too_large, id_missing), PermissionDenied (caller_unknown,
   * privilege_missing).
   */
  state(state: string, options: CheckListOptions = {}): Promise<Result<M, HealthCheck[]>> {
    return call(this.#core, {
      endpoint: 'health.state',
      params: { State: state },
      query: ofChecks(options),
      ownNames: CHECK_NAMES,
      options,
    })
  }

  /**
   * Lists the nodes with their services and checks, for user interfaces.
   *
   * Endpoint `health.uiNodes` (GET /v1/internal/ui/nodes). Right: catalog. Spec 9.4. Errors: Invalid
   * (filter_invalid, field_too_long, answer_too_large), PermissionDenied (caller_unknown, privilege_missing).
   */
  uiNodes(options: ReadOptions & Pick<CheckSelection, 'filter'> = {}): Promise<Result<M, NodeSummary[]>> {
    return call(this.#core, { endpoint: 'health.uiNodes', ...ofFilter(options), options })
  }

  /**
   * Reads a node with its services and checks, for user interfaces.
   *
   * Endpoint `health.uiNode` (GET /v1/internal/ui/node/:Node). Right: catalog. Spec 9.4. Errors: Invalid
   * (id_missing, answer_too_large), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  uiNode(node: string, options: ReadOptions = {}): Promise<Result<M, NodeSummary>> {
    return call(this.#core, { endpoint: 'health.uiNode', params: { Node: node }, options })
  }

  /**
   * Lists the services with their numbers of instances and checks, for user interfaces.
   *
   * Endpoint `health.uiServices` (GET /v1/internal/ui/services). Right: catalog. Spec 9.4. Errors: Invalid
   * (filter_invalid, field_too_long), PermissionDenied (caller_unknown, privilege_missing).
   */
  uiServices(
    options: ReadOptions & Pick<CheckSelection, 'filter'> = {},
  ): Promise<Result<M, ServiceSummary[]>> {
    return call(this.#core, { endpoint: 'health.uiServices', ...ofFilter(options), options })
  }

  /**
   * Follows the nodes with their services and checks.
   *
   * Endpoint `health.uiNodes` (GET /v1/internal/ui/nodes). Right: catalog. Spec 9.4. Errors: Invalid
   * (filter_invalid, field_too_long, answer_too_large), PermissionDenied (caller_unknown, privilege_missing).
   */
  watchUiNodes(options: WatchOptions & Pick<CheckSelection, 'filter'> = {}): Watch<NodeSummary[]> {
    return watchCall(this.#core, { endpoint: 'health.uiNodes', ...ofFilter(options) }, options)
  }

  /**
   * Follows a node with its services and checks. Ends with NotFound when the node is removed.
   *
   * Endpoint `health.uiNode` (GET /v1/internal/ui/node/:Node). Right: catalog. Spec 9.4. Errors: Invalid
   * (id_missing, answer_too_large), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  watchUiNode(node: string, options?: WatchOptions): Watch<NodeSummary> {
    return watchCall(this.#core, { endpoint: 'health.uiNode', params: { Node: node } }, options)
  }

  /**
   * Follows the services with their numbers of instances and checks.
   *
   * Endpoint `health.uiServices` (GET /v1/internal/ui/services). Right: catalog. Spec 9.4. Errors: Invalid
   * (filter_invalid, field_too_long), PermissionDenied (caller_unknown, privilege_missing).
   */
  watchUiServices(options: WatchOptions & Pick<CheckSelection, 'filter'> = {}): Watch<ServiceSummary[]> {
    return watchCall(this.#core, { endpoint: 'health.uiServices', ...ofFilter(options) }, options)
  }
}

function ofFilter({ filter }: Pick<CheckSelection, 'filter'>) {
  return { query: { filter }, ownNames: FILTER_NAMES }
}

function ofChecks({ near, nodeMeta, filter }: CheckSelection) {
  return { near, 'node-meta': nodeMeta, filter }
}

function ofInstances({ tags, passing, ...more }: InstanceSelection) {
  return { ...ofChecks(more), tag: tags, ...(passing === undefined ? {} : { passing: String(passing) }) }
}
