import { checkIndexes } from './check-indexes.ts'
import { checkRegisters } from './check-register.ts'
import { checkSnapshots } from './check-snapshots.ts'
import type { History, Violation } from './history.ts'

/** The first violation in a history of one linearizable register per token. */
export function checkHistory(history: History): Violation | undefined {
  return checkRegisters(history) ?? checkSnapshots(history) ?? checkIndexes(history)
}
