import { describe, expect, test } from 'vitest'
import { aScenario, threeServers } from '../../test/scenario.ts'
import { recordsOf } from '../check/facts.ts'
import type { ScenarioInput } from '../scenario/schema.ts'
import { serviceModel } from '../simulate/models/service-model.ts'
import { simulate } from '../simulate/run.ts'
import { waysBack } from './way-back.ts'

const UPGRADE: Partial<ScenarioInput> & Pick<ScenarioInput, 'events'> = {
  datacenters: threeServers(10, 20, 30),
  legacyTokens: 300,
  events: [
    { at: 5, kind: 'snapshot' },
    { at: 25, kind: 'create-tokens', count: 4 },
    { at: 100, kind: 'delete-tokens', count: 2 },
    { at: 110, kind: 'edit-tokens', count: 3 },
  ],
}

function waysOf(input: Parameters<typeof aScenario>[0]) {
  const scenario = aScenario(input)
  const history = simulate(scenario, serviceModel)
  return { scenario, history, ways: waysBack(scenario, history) }
}

describe('the way back', () => {
  test('is open until the leader leaves legacy mode, and closed from then on (spec 9.2.5)', () => {
    const { history, ways } = waysOf(UPGRADE)
    const noReturn = recordsOf(history, 'mode').find(({ mode }) => mode === 'new')?.at ?? 0
    expect(ways.map(({ phase, isOpen }) => [phase, isOpen])).toEqual([
      ['replacing', true],
      ['accessors', false],
      ['after', false],
    ])
    expect(ways[0]).toMatchObject({ from: 10, to: noReturn / 1_000, lost: [], losses: null })
  })

  test('says what is lost as the restore of the simulator does', () => {
    const { ways, history } = waysOf(UPGRADE)
    const restored = waysOf({
      ...UPGRADE,
      events: [
        ...(UPGRADE.events ?? []),
        { at: history.endedAt / 1_000 + 1, kind: 'restore', snapshot: 5, version: '1.3.1' },
      ],
    }).history
    const [loss] = recordsOf(restored, 'restored')
    const { losses } = ways.at(-1) ?? {}
    expect(losses).toMatchObject({ created: 4, deleted: 2, edited: 3 })
    expect((losses?.created ?? 0) + (losses?.deleted ?? 0) + (losses?.edited ?? 0)).toBe(loss?.writesLost)
    expect(losses?.accessors).toBe(304)
  })

  test('is open for ever where legacy mode never ends', () => {
    const { ways } = waysOf({
      datacenters: [
        {
          name: 'dc1',
          servers: [
            { id: 's1', start: 5 },
            { id: 's2', version: '1.3.1' },
          ],
        },
      ],
    })
    expect(ways).toMatchObject([{ phase: 'replacing', isOpen: true, to: null }])
  })

  test('closes with the intentions between 1.8 and 1.9 (spec 9.5)', () => {
    const { ways } = waysOf({
      from: '1.8.7',
      version: '1.9.0',
      datacenters: threeServers(5, 10, 15),
      intentions: 3,
    })
    expect(ways).toMatchObject([
      { phase: 'replacing', isOpen: true },
      { phase: 'intentions', isOpen: false, version: '1.8.7' },
    ])
  })

  test('a secondary loses its local tokens alone, and goes back later than the primary', () => {
    const { ways } = waysOf({
      version: '1.8.7',
      legacyTokens: 300,
      datacenters: [
        { name: 'dc1', servers: [{ id: 'a', start: 10 }] },
        { name: 'dc2', servers: [{ id: 'b', start: 20 }] },
      ],
      events: [
        { at: 100, kind: 'create-tokens', count: 7 },
        { at: 200, kind: 'create-tokens', count: 2, api: 'new', datacenter: 'dc2', local: true },
      ],
    })
    const last = (name: string) => ways.findLast(({ datacenter }) => datacenter === name)
    expect(last('dc1')?.losses).toMatchObject({ created: 7, createdByNewApi: 0, accessors: 307 })
    expect(last('dc2')?.losses).toMatchObject({ created: 0, createdByNewApi: 2, accessors: 0 })
    expect(last('dc1')?.how).toContain('Secondaries')
  })

  test('a cluster that keeps its version has none', () => {
    expect(waysOf({ from: '1.4.0', version: '1.4.0' }).ways).toEqual([])
  })
})
