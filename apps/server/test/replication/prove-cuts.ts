/** REP-04: answers that are cut at random bytes. REP-05: a secondary that is killed at every statement of a write. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { SeededRandom } from '@latchkey/testkit/random'
import type { DatabaseProxy } from '../database-proxy.ts'
import { type Datacenter, differences, untilEqual } from './datacenter.ts'
import type { Secondary } from './fleet.ts'

interface Pair {
  readonly primary: Datacenter
  readonly secondary: Secondary
}

/** The replicator's requests. */
export const FEED = /^GET \/v1\/acl\/changes/
/** Shorter than any answer with a policy. */
const CUT_BYTES_MAX = 700

interface CutsResult {
  readonly cuts: number
  /** States of the secondary that the primary never had. */
  readonly torn: readonly string[]
}

/**
 * Two policies are written alternately, the left one first. A state of the primary never has the right policy ahead of the
 * left one, or more than one write behind it.
 */
export async function proveCuts({
  primary,
  secondary: { datacenter, link },
  random,
  cuts,
}: Pair & { readonly random: SeededRandom; readonly cuts: number }): Promise<CutsResult> {
  const ids: string[] = []
  for (const Name of ['left', 'right']) ids.push((await primary.ok('PUT', '/acl/policy', { Name })).ID)
  const [left = '', right = ''] = ids
  const write = async (state: number) => {
    for (const [i, ID] of ids.entries()) {
      const body = { Name: i === 0 ? 'left' : 'right', Description: String(state) }
      await primary.ok('PUT', `/acl/policy/${ID}`, body)
    }
  }
  const torn: string[] = []
  const look = async () => {
    const found = new Map<string, number>()
    for (const policy of await datacenter.ok('GET', '/acl/policies')) {
      found.set(policy.ID, Number(policy.Description))
    }
    const ahead = (found.get(left) ?? 0) - (found.get(right) ?? 0)
    if (ahead !== 0 && ahead !== 1) torn.push(`left ${found.get(left)}, right ${found.get(right)}`)
  }
  await untilEqual(primary, datacenter)
  for (let round = 1; round <= cuts; round += 1) {
    const { ended } = link
    link.cause(
      { kind: random.pick(['cut', 'truncate'] as const), afterBytes: random.below(CUT_BYTES_MAX) },
      FEED,
    )
    for (let state = round * 100; link.ended === ended; state += 1) {
      await write(state)
      await look()
      await sleep(20)
    }
    await look()
    link.heal()
    if (round % 10 === 0) await untilEqual(primary, datacenter)
  }
  await untilEqual(primary, datacenter)
  return { cuts, torn }
}

interface KillsResult {
  readonly kills: number
  readonly different: readonly string[]
  /** Tokens that did not work after the restart, or existed twice. */
  readonly wrong: readonly string[]
}

/** @param options.pieces after how many chunks sent to its database the secondary is killed, from when an answer may arrive. */
export async function proveKills({
  primary,
  secondary: { datacenter, link },
  proxy,
  pieces,
}: Pair & { readonly proxy: DatabaseProxy; readonly pieces: readonly number[] }): Promise<KillsResult> {
  const different: string[] = []
  const wrong: string[] = []
  await untilEqual(primary, datacenter)
  for (const count of pieces) {
    link.cause({ kind: 'hang' })
    const made: { AccessorID: string; SecretID: string }[] = []
    for (let i = 0; i < 3; i += 1)
      made.push(await primary.ok('PUT', '/acl/token', { Description: `${count}` }))
    const [first] = made
    if (first) await primary.ok('DELETE', `/acl/token/${first.AccessorID}`)
    link.heal()
    const from = proxy.pieces()
    while (proxy.pieces() < from + count) await new Promise(setImmediate)
    // The database executes what it has received, although the secondary never learns the outcome.
    proxy.freeze()
    await datacenter.stop('SIGKILL')
    proxy.heal()
    await datacenter.start()
    await untilEqual(primary, datacenter)
    different.push(...(await differences(primary, datacenter)))
    const listed: readonly { AccessorID: string }[] = await datacenter.ok('GET', '/acl/tokens')
    for (const { AccessorID } of made) {
      const times = listed.filter((token) => token.AccessorID === AccessorID).length
      if (times !== (AccessorID === first?.AccessorID ? 0 : 1))
        wrong.push(`${AccessorID} is there ${times} times`)
    }
  }
  return { kills: pieces.length, different, wrong }
}
