/** Runs a range of seeds and checks every history. */
import type { UpgradeModel } from '../simulate/models/model.ts'
import { simulate } from '../simulate/run.ts'
import { checkHistory } from './checkers.ts'
import type { Violation } from './facts.ts'
import { randomScenario } from './random-scenario.ts'

export interface SeedFailure {
  readonly seed: number
  readonly violations: readonly Violation[]
}

/** Runs one seed. @returns undefined if no rule is violated. */
export function runSeed(seed: number, model: UpgradeModel): SeedFailure | undefined {
  const violations = checkHistory(simulate(randomScenario(seed), model))
  return violations.length === 0 ? undefined : { seed, violations }
}

/** The first seed in a range, both ends included, that violates a rule. */
export function firstFailure(from: number, to: number, model: UpgradeModel): SeedFailure | undefined {
  for (let seed = from; seed <= to; seed++) {
    const failure = runSeed(seed, model)
    if (failure !== undefined) return failure
  }
  return undefined
}
