/** Rights and content over three processes whose change feeds are cut. Long versions: `pnpm proofs --scale full`. */

import { SeededRandom, seedOfRun } from '@latchkey/testkit/random'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../database.ts'
import { serverFaults, startNemesis } from '../harness/nemesis.ts'
import { MANAGEMENT, startServerGroup } from '../harness/server-group.ts'
import { proveNewEnemy } from './new-enemy.ts'
import { proveRevocation } from './revocation.ts'

const seed = seedOfRun()
const random = new SeededRandom(seed)
const { url: databaseUrl } = await createTestDatabase()
const group = await startServerGroup({ databaseUrl, count: 3 })
const faults = { cut: serverFaults({ group, databaseUrl, random }).cut }
const nemesis = startNemesis({ faults, random: new SeededRandom(seed + 1), everyMs: 2_000 })
afterAll(async () => {
  await nemesis.stop()
  await group.stop()
})

/** Tokens. Reading so many takes longer than a revocation plus the creation of the hidden content, which is last in the list. */
const LONG_LIST = 2_000

async function createTokens(count: number): Promise<void> {
  const body = { Description: 'of a long list' }
  let created = 0
  const create = async () => {
    while (created < count) {
      const gateway = random.pick(group.gateways)
      const { status } = await gateway.ask({ method: 'PUT', path: '/acl/token', token: MANAGEMENT, body })
      if (status === 200) created += 1
    }
  }
  await Promise.all(Array.from({ length: 64 }, create))
}

describe(`seed ${seed}`, () => {
  test('COH-02, COH-03: a revoked right is refused everywhere from the acknowledgement on; stale answers state their age', async () => {
    const result = await proveRevocation({ gateways: group.gateways, random, tries: 180 })
    expect(result.grants).toEqual([])
    expect(result.untruths).toEqual([])
    for (const tries of Object.values(result.tries)) expect(tries).toBeGreaterThan(9)
    expect(result.leases.open).toBeGreaterThan(5)
    expect(Math.max(...result.staleMs)).toBeLessThan(10_000)
  })

  describe('among many tokens', () => {
    beforeAll(() => createTokens(LONG_LIST))

    for (const mode of ['default', 'consistent'] as const) {
      test(`COH-10: in ${mode} mode, no read shows content by a right revoked before the content existed`, async () => {
        const { sightings, reads } = await proveNewEnemy({
          gateways: group.gateways,
          random,
          mode,
          rounds: 13,
        })
        expect(sightings).toBe(0)
        expect(reads).toBeGreaterThan(95)
      })
    }

    test('COH-10: this test detects such reads in stale mode', async () => {
      let sightings = 0
      for (let i = 0; i < 20 && sightings === 0; i += 1) {
        const result = await proveNewEnemy({ gateways: group.gateways, random, mode: 'stale', rounds: 5 })
        sightings += result.sightings
      }
      expect(sightings).toBeGreaterThan(0)
    })
  })
})
