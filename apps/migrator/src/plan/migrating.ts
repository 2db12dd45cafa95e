import type { Simulation } from '../output/run-simulation.ts'

/** Number of tokens that get an accessor from a batch, including created tokens and excluding deleted ones. */
export function migratingIn({ result, scenario }: Pick<Simulation, 'result' | 'scenario'>): number {
  const { tokens = 0, remaining = 0 } = result.migration[scenario.primary] ?? {}
  return tokens + remaining
}
