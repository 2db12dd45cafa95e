/** The catalog of the datacenter: nodes, services and checks. Spec 9.4. */

import { type Core, call, watchCall } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions, ReadOptions, WatchOptions } from '../options.ts'
import type {
  CatalogNode,
  NodeServices,
  NodeWithServices,
  Registration,
  Removal,
  ServiceInstance,
  ServiceTags,
} from '../types.ts'
import type { Watch } from '../watch.ts'

/** Selects and sorts nodes. */
export interface NodeFilter {
  /** Sort by distance from this node; `_agent` means the server's node. */
  readonly near?: string | undefined
  /** `key:value` pairs that the node must have. */
  readonly 'node-meta'?: readonly string[] | undefined
  /** An expression that selects the records to return, such as `Meta.rack == r1`. */
  readonly filter?: string | undefined
}

/** Selects and sorts instances. */
export interface InstanceFilter extends NodeFilter {
  /** Tags that an instance must have, ignoring case. */
  readonly tag?: readonly string[] | undefined
}

export class Catalog<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Registers a node, a service and checks, all or nothing. It is idempotent: unchanged records are not written again.
   *
   * Endpoint `catalog.register` (PUT /v1/catalog/register). Right: catalog. Spec 9.4. Errors: Invalid
   * (field_required, field_invalid), Conflict (name_in_use), NotFound, PermissionDenied (caller_unknown,
   * privilege_missing).
   *
   * @example
   * await client.catalog.register({
   *   Node: 'db-1',
   *   Address: '10.0.0.7',
   *   Service: { ID: 'web-1', Service: 'web', Port: 8080 },
   *   Check: { CheckID: 'web-alive', Name: 'web is alive', ServiceID: 'web-1', Status: 'passing' },
   * })
   */
  register(registration: Registration, options: CallOptions = {}): Promise<Result<M, boolean>> {
    return call(this.#core, {
      endpoint: 'catalog.register',
      json: registration,
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Removes a service with its checks, otherwise a check, otherwise the node with everything on it. A record that does
   * not exist is not an error.
   *
   * Endpoint `catalog.deregister` (PUT /v1/catalog/deregister). Right: catalog. Spec 9.4. Errors: Invalid
   * (field_required, field_invalid), PermissionDenied (caller_unknown, privilege_missing).
   */
  deregister(removal: Removal, options: CallOptions = {}): Promise<Result<M, boolean>> {
    return call(this.#core, {
      endpoint: 'catalog.deregister',
      json: removal,
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Lists the nodes, by name.
   *
   * Endpoint `catalog.nodes` (GET /v1/catalog/nodes). Right: catalog. Spec 9.4. Errors: Invalid (filter_invalid,
   * field_too_long), PermissionDenied (caller_unknown, privilege_missing).
   */
  nodes(filter: NodeFilter = {}, options: ReadOptions = {}): Promise<Result<M, CatalogNode[]>> {
    return call(this.#core, { endpoint: 'catalog.nodes', query: { ...filter }, options })
  }

  /**
   * Lists the names of the services, each with the tags of all its instances.
   *
   * Endpoint `catalog.services` (GET /v1/catalog/services). Right: catalog. Spec 9.4. Errors: PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  services(
    filter: Pick<NodeFilter, 'node-meta'> = {},
    options: ReadOptions = {},
  ): Promise<Result<M, ServiceTags>> {
    return call(this.#core, { endpoint: 'catalog.services', query: { ...filter }, options })
  }

  /**
   * Lists the instances of a service with their nodes.
   *
   * Endpoint `catalog.service` (GET /v1/catalog/service/:Service). Right: catalog. Spec 9.3. Errors: Invalid
   * (filter_invalid, field_too_long, id_missing, answer_too_large), PermissionDenied (caller_unknown,
   * privilege_missing).
   */
  service(
    name: string,
    filter: InstanceFilter = {},
    options: ReadOptions = {},
  ): Promise<Result<M, ServiceInstance[]>> {
    return call(this.#core, { ...serviceCall(name, filter), options })
  }

  /**
   * Lists the endpoints for connections to a service: native instances, and proxies that represent it.
   *
   * Endpoint `catalog.connect` (GET /v1/catalog/connect/:Service). Right: catalog. An extension of the spec, from
   * service version 1.2.0. Errors: Invalid (filter_invalid, field_too_long, id_missing, answer_too_large),
   * PermissionDenied (caller_unknown, privilege_missing).
   */
  connect(
    name: string,
    filter: InstanceFilter = {},
    options: ReadOptions = {},
  ): Promise<Result<M, ServiceInstance[]>> {
    const params = { Service: name }
    return call(this.#core, { endpoint: 'catalog.connect', params, query: { ...filter }, options })
  }

  /**
   * Reads a node with its services by ID; `null` if the node does not exist.
   *
   * Endpoint `catalog.node` (GET /v1/catalog/node/:Node). Right: catalog. Spec 9.4. Errors: Invalid
   * (filter_invalid, field_too_long, id_missing), PermissionDenied (caller_unknown, privilege_missing).
   */
  node(
    name: string,
    filter: Pick<NodeFilter, 'filter'> = {},
    options: ReadOptions = {},
  ): Promise<Result<M, NodeWithServices>> {
    const params = { Node: name }
    return call(this.#core, { endpoint: 'catalog.node', params, query: { ...filter }, options })
  }

  /**
   * Reads a node with a list of its services.
   *
   * Endpoint `catalog.nodeServices` (GET /v1/catalog/node-services/:Node). Right: catalog. An extension of the
   * spec, from service version 1.7.0. Errors: Invalid (filter_invalid, field_too_long, id_missing),
   * PermissionDenied (caller_unknown, privilege_missing).
   */
  nodeServices(
    name: string,
    filter: Pick<NodeFilter, 'filter'> = {},
    options: ReadOptions = {},
  ): Promise<Result<M, NodeServices>> {
    const params = { Node: name }
    return call(this.#core, { endpoint: 'catalog.nodeServices', params, query: { ...filter }, options })
  }

  /**
   * Lists the services of a gateway. Always empty, because this service configures no gateways.
   *
   * Endpoint `catalog.gatewayServices` (GET /v1/catalog/gateway-services/:Gateway). Right: catalog. An extension of
   * the spec, from service version 1.8.0. Errors: Invalid (id_missing), PermissionDenied (caller_unknown,
   * privilege_missing).
   */
  gatewayServices(name: string, options: ReadOptions = {}): Promise<Result<M, Record<string, unknown>[]>> {
    return call(this.#core, { endpoint: 'catalog.gatewayServices', params: { Gateway: name }, options })
  }

  /**
   * Follows the instances of a service.
   *
   * Endpoint `catalog.service` (GET /v1/catalog/service/:Service). Right: catalog. Spec 9.3. Errors: Invalid
   * (filter_invalid, field_too_long, id_missing, answer_too_large), PermissionDenied (caller_unknown,
   * privilege_missing).
   */
  watchService(name: string, filter: InstanceFilter = {}, options?: WatchOptions): Watch<ServiceInstance[]> {
    return watchCall(this.#core, serviceCall(name, filter), options)
  }
}

function serviceCall(name: string, filter: InstanceFilter) {
  return { endpoint: 'catalog.service', params: { Service: name }, query: { ...filter } } as const
}
