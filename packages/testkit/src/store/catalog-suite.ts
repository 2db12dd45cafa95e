/** The catalog part of the store suite: nodes, services, checks, coordinates, and the indexes of services. */

import { SeededRandom } from '@latchkey/acl'
import { coordinateKey } from '@latchkey/catalog'
import type { Change, Store, Topic } from '@latchkey/service'
import { connectTopic, nodeTopic, SERVICE_NAMES_TOPIC, StoreConflict, serviceTopic } from '@latchkey/service'
import { beforeEach, describe, expect, test } from 'vitest'
import { chooseSeed } from '../random.ts'
import { aCheck, aNode, aService } from '../records/catalog-builders.ts'
import { deleteOf, putOf } from '../records/changes.ts'
import { CatalogModel, CatalogSide } from './catalog-model.ts'

let nodes = 0

/** A name that no other test uses. */
function aName(): string {
  nodes += 1
  return `suite-${nodes}`
}

const COMMITS = 40
/** A wait that ends before this is a failure; long, because the machine may stall for seconds. */
const LONG_MS = 60_000

export function describeCatalog(open: () => Store | Promise<Store>): void {
  describe('the catalog', () => {
    let store: Store
    beforeEach(async () => {
      store = await open()
    })

    test('random commits lead to the records and indexes of the model', async () => {
      const random = new SeededRandom(chooseSeed('random commits of the catalog'))
      const catalog = store.catalog()
      const before = [
        ...catalog.checks().map((record) => deleteOf('checks', record)),
        ...catalog.services().map((record) => deleteOf('services', record)),
        ...catalog.coordinates().map((record) => deleteOf('coordinates', record)),
        ...catalog.nodes().map((record) => deleteOf('nodes', record)),
      ]
      if (before.length > 0) await store.commit(before)
      const model = new CatalogModel(random)
      const side = new CatalogSide(store)
      const shown = () => ({ ...side.show(), tables: undefined, extinction: undefined })
      for (let i = 0; i < COMMITS; i += 1) {
        const changes = model.next()
        const isMade = model.commit(changes)
        expect(await side.commit(changes), `commit ${i}`).toBe(isMade)
        // Existing records have already moved the indexes of tables.
        expect(shown(), `after commit ${i}`).toEqual({
          ...model.show(),
          tables: undefined,
          extinction: undefined,
        })
      }
    })

    test('keeps every field of every record, with strings verbatim', async () => {
      const text = 'a\u0000b \ud800 \udc00\ud83d\ude00 \u001a0041 "\\\n ü'
      const Node = `${aName()} ${text}`
      const words = { [text]: text, b: '' }
      const node = aNode({ Node, ID: text, Address: text, TaggedAddresses: words, Meta: {} })
      const service = aService({
        Node,
        ID: text,
        Service: text,
        Kind: text,
        Tags: [text, '', text],
        Address: text,
        TaggedAddresses: { [text]: { Address: text, Port: -1 } },
        Meta: words,
        Port: 2 ** 31 - 1,
        SocketPath: text,
        Weights: { Passing: 65_535, Warning: 0 },
        EnableTagOverride: true,
        Proxy: { Config: { [text]: [null, 1.5, text] }, DestinationServiceName: text },
        Connect: { Native: true },
      })
      const check = aCheck({
        Node,
        CheckID: text,
        Name: text,
        Status: text,
        Notes: text,
        Output: text,
        ServiceID: text,
        Type: text,
        Interval: text,
        Timeout: text,
        ExposedPort: 7,
        Definition: { Header: { [text]: [text] }, Interval: '10s' },
      })
      const coordinate = {
        Node,
        Segment: text,
        Coord: { Vec: [0, -1.5, 1e-9, 1, 2, 3, 4, 5], Error: 1.5, Adjustment: -0.25, Height: 1e-5 },
        CreateIndex: 0,
        ModifyIndex: 0,
      }
      const index = await store.commit([
        putOf('nodes', node),
        putOf('services', service),
        putOf('checks', check),
        putOf('coordinates', coordinate),
      ])
      const stamped = { CreateIndex: index, ModifyIndex: index }
      const catalog = store.catalog()
      expect(catalog.node(Node)).toEqual({ ...node, ...stamped })
      expect(catalog.service(Node, text)).toEqual({ ...service, ...stamped })
      expect(catalog.check(Node, text)).toEqual({ ...check, ...stamped })
      expect(catalog.coordinate(Node, text)).toEqual({ ...coordinate, ...stamped })
      expect(coordinateKey(coordinate)).toContain(text.toLowerCase())
    })

    test('a put whose expectation fails changes nothing', async () => {
      const Node = aName()
      const index = await store.commit([putOf('nodes', aNode({ Node }))])
      const record = aNode({ Node: Node.toUpperCase(), Address: '10.9.9.9' })
      for (const expected of [0, index - 1, index + 1]) {
        const stale: Change = putOf('nodes', record, expected)
        await expect(store.commit([stale])).rejects.toMatchObject({ reason: 'changed' })
      }
      await store.commit([putOf('nodes', record, index)])
      expect(store.catalog().node(Node)).toMatchObject({ Node: Node.toUpperCase(), CreateIndex: index })
    })

    test('services, checks and coordinates without their node are refused', async () => {
      const Node = aName()
      const coordinate = { Vec: [], Error: 0, Adjustment: 0, Height: 0 }
      const stamps = { CreateIndex: 0, ModifyIndex: 0 }
      const orphans = [
        putOf('services', aService({ Node })),
        putOf('checks', aCheck({ Node })),
        putOf('coordinates', { Node, Segment: '', Coord: coordinate, ...stamps }),
      ]
      for (const orphan of orphans) await expect(store.commit([orphan])).rejects.toThrow(StoreConflict)
      const node = aNode({ Node })
      await store.commit([putOf('nodes', node), ...orphans])
      await expect(store.commit([deleteOf('nodes', node)])).rejects.toThrow(StoreConflict)
    })

    test('waits end: for the node, the service, a name that appears or disappears, and tables', async () => {
      const Node = aName()
      const Service = aName()
      const wokenBy = async (
        topics: readonly Topic[],
        expected: readonly Topic[],
        ...changes: readonly Change[]
      ) => {
        const before = store.commitIndex()
        const waits = expected.map((topic) => store.wait(topic, before, LONG_MS))
        await store.commit(changes)
        expect(await Promise.all(waits)).toEqual(expected.map(() => 'changed'))
        // A commit before the wait also ends it, so a wait for an unchanged topic is known at once.
        const outcomes = await Promise.all(topics.map((topic) => store.wait(topic, before, 1)))
        expect(topics.filter((_, i) => outcomes[i] === 'changed')).toEqual(expected)
      }
      const service = serviceTopic('default', Service.toUpperCase())
      const topics = [
        nodeTopic(Node),
        service,
        SERVICE_NAMES_TOPIC,
        'nodes',
        'services',
        'checks',
        'catalog',
      ] as const
      const node = putOf('nodes', aNode({ Node }))
      await wokenBy(topics, [nodeTopic(Node), 'nodes', 'catalog'], node)
      const instance = aService({ Node, Service })
      const connect = connectTopic('default', 'Destination')
      const proxy = aService({
        Node,
        Service: aName(),
        Kind: 'connect-proxy',
        Proxy: { DestinationServiceName: 'DESTINATION' },
      })
      const all = [nodeTopic(Node), service, SERVICE_NAMES_TOPIC, 'services', 'catalog'] as const
      await wokenBy(topics, all, putOf('services', instance))
      const check = putOf('checks', aCheck({ Node }))
      await wokenBy(topics, [nodeTopic(Node), service, 'checks', 'catalog'], check)
      await wokenBy(topics, all, deleteOf('services', instance))
      const ofNames = [nodeTopic(Node), SERVICE_NAMES_TOPIC, 'services', 'catalog', connect] as const
      await wokenBy([...topics, connect], ofNames, putOf('services', proxy))
      const joined = store.commitIndex()
      expect(store.catalog().connectIndex('destination')).toBe(joined)
      await wokenBy([...topics, connect], [nodeTopic(Node), 'checks', 'catalog', connect], check)
      expect(store.catalog().connectIndex('destination')).toBe(joined + 1)
      await wokenBy([...topics, connect], ofNames, deleteOf('services', proxy))
      expect(store.catalog().connectIndex('destination')).toBeUndefined()
      expect(store.catalog().connectLossIndex()).toBe(joined + 2)
    })
  })
}
