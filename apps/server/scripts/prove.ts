/**
 * Runs one of the long proofs on real processes and a separate PostgreSQL, and prints one line of JSON: name,
 * guarantees, seed, figures, verdict.
 *
 *     node apps/server/scripts/prove.ts                      the names
 *     node apps/server/scripts/prove.ts revocation           at full scale
 *     node apps/server/scripts/prove.ts revocation 500 42    500 of them, from seed 42
 */

import { seedOfRun } from '@latchkey/testkit/random'
import { PROOFS } from '../test/cluster/proofs.ts'

const [name, count, seed] = process.argv.slice(2)
const proof = name === undefined ? undefined : PROOFS[name]
if (!proof || name === undefined) {
  for (const [known, { ids, unit, count: full }] of Object.entries(PROOFS)) {
    process.stdout.write(
      `${known.padEnd(26)} ${ids.join(', ').padEnd(16)} ${full.toLocaleString('en')} ${unit}\n`,
    )
  }
  process.exitCode = name === undefined ? 0 : 2
} else {
  const usedSeed = seed === undefined ? seedOfRun() : Number(seed)
  const usedCount = count === undefined ? proof.count : Number(count)
  const startedAt = performance.now()
  const reason = proof.whyNot?.()
  const { isProven, figures } =
    reason === undefined ? await proof.run(usedCount, usedSeed) : { isProven: undefined, figures: { reason } }
  const seconds = Math.round(performance.now() - startedAt) / 1_000
  const { ids } = proof
  const verdict = isProven === undefined ? 'skip' : isProven ? 'pass' : 'fail'
  const report = { name, ids, seed: usedSeed, count: usedCount, seconds, ...figures, verdict }
  // Exits at once: Node 24.21 may loop forever while it closes the handles of a process that ends by itself.
  process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(verdict === 'fail' ? 1 : 0))
}
