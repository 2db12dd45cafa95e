import { aCheck, aNode, aService } from '@latchkey/testkit/records/catalog-builders'
import { aWorld } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'

/** Nodes with the service web and a check, a second apart on a line, beginning with the node of the server. */
const NODES = ['n1', 'm', 'a']

test.each(['/catalog/nodes', '/catalog/service/web', '/health/service/web', '/health/checks/web'])(
  '%s sorts by the distance from a node, which _agent names for the node of the server',
  async (path) => {
    const { store, manage } = await aWorld()
    const put = { op: 'put', expect: undefined } as const
    for (const [i, Node] of NODES.entries()) {
      const Coord = { Vec: [i, 0, 0, 0, 0, 0, 0, 0], Error: 0, Adjustment: 0, Height: 0 }
      const coordinate = { Node, Segment: '', Coord, CreateIndex: 0, ModifyIndex: 0 }
      await store.commit([
        { ...put, table: 'nodes', record: aNode({ Node }) },
        { ...put, table: 'services', record: aService({ Node }) },
        { ...put, table: 'checks', record: aCheck({ Node, ServiceID: 'web' }) },
        { ...put, table: 'coordinates', record: coordinate },
      ])
    }
    const namesNear = async (near: string) => {
      const found = (await manage('GET', `${path}?near=${near}`)) as readonly (
        | { readonly Node: string }
        | { readonly Node: { readonly Node: string } }
      )[]
      return found.map(({ Node }) => (typeof Node === 'string' ? Node : Node.Node))
    }
    expect(await namesNear('_agent')).toEqual(NODES)
    expect(await namesNear('A')).toEqual(NODES.toReversed())
  },
)
