/** Coordinates of nodes. Agents report them every few seconds, so they are collected and written in batches. */
import { type CoordinateRecord, coordinateKey, nodeKey } from '@latchkey/catalog'
import { AclError, type Body, type Coordinate, limits } from '@latchkey/contract'
import { RowRights, requireNode } from './catalog/rights.ts'
import { type Context, type Handler, json, missing } from './handler.ts'
import type { ClusterInfo, CoordinateCollector, CoordinateReport } from './options.ts'
import { decideAndCommit } from './store/commit.ts'
import type { Change, Store } from './store/store.ts'
import { partsOf } from './turns.ts'

/** The coordinate of a node that has measured nothing: its error is as large as it can be. */
export const ORIGIN: CoordinateRecord['Coord'] = {
  Vec: Array(limits.COORDINATE_DIMENSIONS_MAX).fill(0),
  Error: 1.5,
  Adjustment: 0,
  Height: 1e-5,
}

export function coordOf(coord: CoordinateRecord['Coord']): Coordinate['Coord'] {
  return { ...coord, Vec: [...coord.Vec] }
}

/** Servers measure no distances between datacenters: those of this one are at the origin. Decisions: coordinates. */
export const coordinateDatacentersHandler: Handler<'coordinates.datacenters'> = async (call) => {
  const { cluster, datacenter, datacenters } = call.service
  const own = (await originsOf(cluster)).map((record) => ({ ...record, Coord: coordOf(record.Coord) }))
  const others = datacenters?.names ?? []
  const shown = [datacenter, ...others].map((Datacenter, i) => ({
    Datacenter,
    AreaID: 'wan',
    Coordinates: i === 0 ? own : [],
  }))
  return json(shown)
}

type Placed = Pick<CoordinateRecord, 'Node' | 'Segment' | 'Coord'>

/** The servers of this datacenter, which measure nothing. */
async function originsOf(cluster: ClusterInfo): Promise<Placed[]> {
  const nodes = new Map((await cluster.members()).map(({ node }) => [nodeKey(node), node]))
  return [...nodes.values()].map((Node) => ({ Node, Segment: '', Coord: ORIGIN }))
}

/** Coordinates that agents reported, and the origin for registered servers without one; by node. */
async function placedNodes({ service }: Context): Promise<readonly Placed[]> {
  const servers = await originsOf(service.cluster)
  const catalog = service.store.catalog()
  const reported = catalog.coordinates()
  const known = new Set(reported.map(({ Node }) => nodeKey(Node)))
  const origins = servers.flatMap((server) => {
    const Node = known.has(nodeKey(server.Node)) ? undefined : catalog.node(server.Node)?.Node
    return Node === undefined ? [] : [{ ...server, Node }]
  })
  return [...reported, ...origins].toSorted((a, b) => (nodeKey(a.Node) < nodeKey(b.Node) ? -1 : 1))
}

export const listCoordinatesHandler: Handler<'coordinates.nodes'> = async (call) => {
  const placed = await placedNodes(call)
  const rights = new RowRights(call)
  const visible = placed.filter(({ Node }) => rights.node(Node))
  return rights.mark(json(showCoordinates(visible, call.query.segment), { topic: 'coordinates' }))
}

export const readCoordinateHandler: Handler<'coordinates.node'> = async (call) => {
  const { params, query, service } = call
  const placed = await placedNodes(call)
  const catalog = service.store.catalog()
  requireNode(call, catalog.nodeName(params.Node), 'read', params.Node)
  const key = nodeKey(params.Node)
  const ofNode = placed.filter(({ Node }) => nodeKey(Node) === key)
  const shown = showCoordinates(ofNode, query.segment)
  const watch = { topic: 'coordinates', filtered: true } as const
  return shown.length === 0 ? missing(new AclError('not_found', 'No coordinate'), watch) : json(shown, watch)
}

export const updateCoordinateHandler: Handler<'coordinates.update'> = async (call) => {
  const { body, service } = call
  if (body.Datacenter && body.Datacenter !== service.datacenter)
    throw new AclError('datacenter_unknown', 'No path to datacenter', { field: 'Datacenter' })
  const report = reportOf(body)
  requireNode(call, service.store.catalog().nodeName(report.Node), 'write', report.Node)
  if (service.coordinateUpdates) service.coordinateUpdates.add(report)
  else await writeCoordinates(service.store, [report])
  return { body: { kind: 'text', text: '' } }
}

function reportOf({ Node, Segment = '', Coord }: Body<'coordinates.update'>): CoordinateReport {
  if (Node === '') throw new AclError('field_required', 'Must provide node', { field: 'Node' })
  const { Vec, Adjustment = 0, Height = 0 } = Coord
  const whole = { Vec, Error: Coord.Error ?? 0, Adjustment, Height }
  const numbers = [...Vec, whole.Error, Adjustment, Height]
  if (!numbers.every(Number.isFinite))
    throw new AclError('field_invalid', 'invalid coordinate', { field: 'Coord' })
  if (Vec.length !== limits.COORDINATE_DIMENSIONS_MAX)
    throw new AclError('field_invalid', 'incompatible coordinate', { field: 'Coord.Vec' })
  return { Node, Segment, Coord: whole }
}

function showCoordinates(records: readonly Placed[], segment: string | undefined): Coordinate[] {
  return records
    .filter(({ Segment }) => segment === undefined || Segment === segment)
    .map(({ Node, Segment, Coord }) => ({ Node, Segment, Coord: coordOf(Coord) }))
}

const BATCH_SIZE_MAX = 128
/** Maximum number of pending coordinates. Those of further nodes are dropped until the pending ones are written. */
const WAITING_MAX = 10_000

export class CoordinateUpdates implements CoordinateCollector {
  private readonly waiting = new Map<string, CoordinateReport>()

  /** Keeps a report until {@link CoordinateUpdates.write}, replacing an earlier one. */
  add(report: CoordinateReport): void {
    const key = coordinateKey(report)
    if (this.waiting.size < WAITING_MAX || this.waiting.has(key)) this.waiting.set(key, report)
  }

  /** Writes the pending coordinates. Coordinates that cannot be written stay pending. */
  async write(store: Store): Promise<void> {
    for (const batch of partsOf([...this.waiting], BATCH_SIZE_MAX)) {
      const reports = batch.map(([, report]) => report)
      await writeCoordinates(store, reports)
      for (const [key, report] of batch) if (this.waiting.get(key) === report) this.waiting.delete(key)
    }
  }
}

function writeCoordinates(store: Store, reports: readonly CoordinateReport[]): Promise<void> {
  return decideAndCommit(store, () => ({
    changes: reports.flatMap((report) => changeOf(report, store) ?? []),
    answer: () => {},
  }))
}

function changeOf(report: CoordinateReport, store: Store): Change | undefined {
  const catalog = store.catalog()
  const node = catalog.node(report.Node)
  const stored = catalog.coordinate(report.Node, report.Segment)
  if (!node || (stored && JSON.stringify(stored.Coord) === JSON.stringify(report.Coord))) return undefined
  const record = { ...report, Node: node.Node, CreateIndex: 0, ModifyIndex: 0 }
  return { table: 'coordinates', op: 'put', record, expect: undefined }
}
