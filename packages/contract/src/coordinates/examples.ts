/** An example for each operation, recorded from the service. Tests check each against its schema. */
import { answer, type ExamplesOf } from '../shared/example.ts'

const Coord = { Vec: [0.001, 0, 0, 0, 0, 0, 0, 0.002], Error: 0.2, Adjustment: 0.0001, Height: 0.00001 }
const coordinate = { Node: 'db-1', Segment: '', Coord }

export const examples = {
  datacenters: answer([{ Datacenter: 'dc1', AreaID: 'wan', Coordinates: [] }]),
  nodes: answer([coordinate]),
  node: answer([coordinate]),
  update: answer('', { Node: 'db-1', Coord }),
} satisfies ExamplesOf<'coordinates'>
