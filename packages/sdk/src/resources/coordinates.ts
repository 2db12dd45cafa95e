/** Network coordinates: estimated round-trip times between nodes. Spec 9.4. */
import { type Core, call } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions, OwnNames, ReadOptions } from '../options.ts'
import type { Coordinate, CoordinateUpdate, DatacenterCoordinates } from '../types.ts'

export interface CoordinateOptions extends ReadOptions {
  /** Only coordinates of this segment. */
  readonly segment?: string | undefined
}

const SEGMENT_NAMES: OwnNames<CoordinateOptions> = { segment: true }

export class Coordinates<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Lists the datacenters, beginning with the server's.
   *
   * Endpoint `coordinates.datacenters` (GET /v1/coordinate/datacenters). Right: none. Spec 9.4.
   */
  datacenters(options: CallOptions = {}): Promise<Result<M, DatacenterCoordinates[]>> {
    return call(this.#core, { endpoint: 'coordinates.datacenters', options })
  }

  /**
   * Lists the coordinates of the nodes that the caller may read.
   *
   * Endpoint `coordinates.nodes` (GET /v1/coordinate/nodes). Right: catalog. Spec 9.4. Errors: PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  nodes(options: CoordinateOptions = {}): Promise<Result<M, Coordinate[]>> {
    const query = { segment: options.segment }
    return call(this.#core, { endpoint: 'coordinates.nodes', query, options, ownNames: SEGMENT_NAMES })
  }

  /**
   * Reads the coordinates of a node, one per segment.
   *
   * Endpoint `coordinates.node` (GET /v1/coordinate/node/:Node). Right: catalog. An extension of the spec. Errors:
   * Invalid (id_missing), PermissionDenied (privilege_missing, caller_unknown), NotFound.
   */
  node(node: string, options: CoordinateOptions = {}): Promise<Result<M, Coordinate[]>> {
    return call(this.#core, {
      endpoint: 'coordinates.node',
      params: { Node: node },
      query: { segment: options.segment },
      options,
      ownNames: SEGMENT_NAMES,
    })
  }

  /**
   * Reports the coordinate of a node. It is stored within seconds if the node is registered.
   *
   * Endpoint `coordinates.update` (PUT /v1/coordinate/update). Right: catalog. An extension of the spec. Errors:
   * Invalid (field_required, field_invalid, datacenter_unknown), PermissionDenied (privilege_missing,
   * caller_unknown).
   */
  update(update: CoordinateUpdate, options: CallOptions = {}): Promise<Result<M, string>> {
    return call(this.#core, {
      endpoint: 'coordinates.update',
      json: update,
      form: 'text',
      repeatable: 'unlessPending',
      options,
    })
  }
}
