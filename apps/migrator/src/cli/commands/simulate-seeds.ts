/** `simulate --seeds`: checks thousands of random scenarios. */

import { setImmediate } from 'node:timers/promises'
import { visibleJson } from '@latchkey/contract'
import { BUGS, type BugName } from '../../check/bugs.ts'
import { runSeed, type SeedFailure } from '../../check/random-run.ts'
import { EXIT, type ExitCode } from '../../errors.ts'
import { agrees, counted } from '../../findings/finding.ts'
import { modelOf } from '../../output/run-simulation.ts'
import type { ModelName } from '../../scenario/scenario.ts'
import { formatTime, toSeconds } from '../../scenario/time.ts'
import { createProgress, type Io, painterFor, write } from '../io.ts'

interface SeedsOptions {
  readonly seeds: { readonly from: number; readonly to: number }
  readonly model?: ModelName
  readonly bug?: BugName
  readonly json?: true
}

/** Maximum number of failing seeds to list. */
const FAILURES_MAX = 20
/** Seeds between two checks for Ctrl-C. */
const SEEDS_PER_BREATH = 50

export async function runSeeds(options: SeedsOptions, io: Io): Promise<ExitCode> {
  const { from, to } = options.seeds
  const plain = modelOf(options.model ?? 'service')
  const model = options.bug === undefined ? plain : BUGS[options.bug].plant(plain)
  const progress = createProgress(io)
  const failures: SeedFailure[] = []
  let failed = 0
  let next = from
  for (; next <= to && !io.signal.aborted; next++) {
    const failure = runSeed(next, model)
    if (failure !== undefined) {
      failed += 1
      if (failures.length < FAILURES_MAX) failures.push(failure)
    }
    if ((next - from) % SEEDS_PER_BREATH === 0) {
      progress.show(`seed ${next} of ${to}, ${failed} failed`)
      await setImmediate()
    }
  }
  progress.clear()
  const command = commandOf(options)
  const result = {
    model: plain.name,
    bug: options.bug ?? null,
    from,
    to,
    done: next - from,
    failed,
    failures: failures.map(({ seed, violations }) => ({
      seed,
      violations: violations.map(({ rule, at, detail }) => ({ rule, at: toSeconds(at), detail })),
      replay: `${command} --seeds ${seed}`,
    })),
  }
  await write(io.stdout, options.json ? `${visibleJson(JSON.stringify(result))}\n` : format(result, io))
  if (next <= to) {
    await write(io.stderr, `interrupted; continue with: ${command} --seeds ${next}-${to}\n`)
    return EXIT.resumable
  }
  return failed === 0 ? EXIT.done : EXIT.failed
}

function commandOf({ model, bug }: SeedsOptions): string {
  return `latchkey-migrator simulate --model ${model ?? 'service'}${bug === undefined ? '' : ` --bug ${bug}`}`
}

interface SeedsResult {
  readonly model: string
  readonly done: number
  readonly failed: number
  readonly failures: readonly {
    readonly seed: number
    readonly violations: readonly { readonly rule: string; readonly at: number; readonly detail: string }[]
    readonly replay: string
  }[]
}

function format({ model, done, failed, failures }: SeedsResult, io: Io): string {
  const paint = painterFor(io)
  const head = `model ${model}: ${counted(done, 'random upgrade')}, ${failed === 0 ? paint('green', 'every rule holds') : paint('red', `${failed} ${agrees(failed, 'breaks', 'break')} a rule`)}\n`
  const blocks = failures.map(({ seed, violations, replay }) => {
    const lines = violations
      .slice(0, 3)
      .map(({ rule, at, detail }) => `  ${formatTime(at)}  ${rule}: ${detail}`)
    return `seed ${seed}\n${lines.join('\n')}\n  replay: ${replay}\n`
  })
  return [head, ...blocks].join('\n')
}
