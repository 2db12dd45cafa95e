/** Runs a range of seeds and checks every history. */

import { checkHistory } from '../../src/check/checkers.ts'
import type { Violation } from '../../src/check/facts.ts'
import type { UpgradeModel } from '../../src/simulate/models/model.ts'
import { simulate } from '../../src/simulate/run.ts'
import { randomScenario } from './random-scenario.ts'

interface SeedFailure {
  readonly seed: number
  readonly violations: readonly Violation[]
}

/** The first seed in a range, both ends included, that violates a rule. */
export function firstFailure(from: number, to: number, model: UpgradeModel): SeedFailure | undefined {
  for (let seed = from; seed <= to; seed++) {
    const violations = checkHistory(simulate(randomScenario(seed), model))
    if (violations.length > 0) return { seed, violations }
  }
  return undefined
}
