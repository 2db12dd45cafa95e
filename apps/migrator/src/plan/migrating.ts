import type { Simulation } from '../output/run-simulation.ts'

/** Tokens that need an accessor from a batch, with those that the schedule creates meanwhile, and without deleted ones. */
export function migratingIn({ result, scenario }: Pick<Simulation, 'result' | 'scenario'>): number {
  const { tokens = 0, remaining = 0 } = result.migration[scenario.primary] ?? {}
  return tokens + remaining
}
