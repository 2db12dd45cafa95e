/** The suite of the store port, run against the memory store and against PostgreSQL. */
import type { Store } from '@latchkey/service'
import { describe } from 'vitest'
import { describeCatalog } from './catalog-suite.ts'
import { describeChanges } from './changes-suite.ts'
import { describeConflicts } from './conflict-suite.ts'
import { describeExpectations } from './expectations-suite.ts'
import { describeIndexes } from './index-suite.ts'
import { describeKeys } from './key-suite.ts'
import { describeLists } from './list-suite.ts'
import { describeLogins } from './login-suite.ts'
import { describeReading } from './reading-suite.ts'
import { describeSessions } from './session-suite.ts'
import { describeWaiting } from './waiting-suite.ts'
import { describeWholeCommits } from './whole-commit-suite.ts'

interface StoreSuiteOptions {
  /** Whether an unchanged record stays the same object. False without caches. */
  readonly keepsObjects?: boolean
}

/**
 * @param open returns the store under test, initially empty. May return the same store again: the tests use their own ids.
 */
export function describeStore(
  name: string,
  open: () => Store | Promise<Store>,
  { keepsObjects = true }: StoreSuiteOptions = {},
): void {
  describe(name, () => {
    describeChanges(open)
    describeWholeCommits(open)
    describeExpectations(open)
    describeCatalog(open)
    describeSessions(open)
    describeIndexes(open)
    describeReading(open, keepsObjects)
    describeConflicts(open)
    describeLists(open, keepsObjects)
    describeLogins(open)
    describeKeys(open)
    describeWaiting(open)
  })
}
