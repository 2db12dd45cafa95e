import { checkIndexes } from './check-indexes.ts'
import { checkRegisters } from './check-register.ts'
import { checkSnapshots } from './check-snapshots.ts'
import type { History, Violation } from './history.ts'

/** The first thing in a history that one register per token, read and written one operation at a time, cannot do. */
export function checkHistory(history: History): Violation | undefined {
  return checkRegisters(history) ?? checkSnapshots(history) ?? checkIndexes(history)
}
