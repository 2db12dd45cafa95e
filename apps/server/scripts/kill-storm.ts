/**
 * The long run of the kill storm: 200 kills by default. One line of JSON at its end; exit code 1 where something was lost.
 *
 *   node scripts/kill-storm.ts [kills] [writers]
 *
 * `LATCHKEY_SEED` repeats the moments of a run.
 */
import { killStorm } from '../test/storm/kill-storm.ts'

const [kills = '200', writers = '50'] = process.argv.slice(2)
const seed = Number(process.env.LATCHKEY_SEED ?? Math.floor(Math.random() * 2 ** 32))
process.stderr.write(`LATCHKEY_SEED=${seed}\n`)
const startedAt = performance.now()
const result = await killStorm({
  kills: Number(kills),
  writers: Number(writers),
  seed,
  calmMsMax: 1_500,
  onKill: (kill, victim, recoveryMs) =>
    process.stderr.write(`${kill}/${kills} ${victim}: ${recoveryMs} ms\n`),
})
const isFine =
  result.lost.length + result.altered.length + result.surplus.length + result.indexWentBack === 0 &&
  result.acknowledged > 0
const seconds = Math.round((performance.now() - startedAt) / 1_000)
const verdict = isFine ? 'pass' : 'fail'
process.stdout.write(
  `${JSON.stringify({ test: 'DUR-01 DUR-02 DUR-03', verdict, seed, seconds, ...result })}\n`,
)
process.exitCode = isFine ? 0 : 1
