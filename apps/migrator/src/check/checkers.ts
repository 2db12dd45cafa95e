/** Every checker, by its name in reports. Checkers read only the recorded history. */
import type { History } from '../simulate/history.ts'
import type { Checker, Violation } from './facts.ts'
import { checkModeEnds, checkTokensEnd } from './liveness-checks.ts'
import { checkFollowersWait, checkNeverBack, checkNotEarly, checkPrimaryFirst } from './mode-checks.ts'
import {
  checkLaw,
  checkLawAtTakeover,
  checkNoLostEdit,
  checkOneAccessor,
  LAW_AT_TAKEOVER,
} from './token-checks.ts'

const CHECKERS: Readonly<Record<string, Checker>> = {
  'not early': checkNotEarly,
  'followers wait': checkFollowersWait,
  'primary first': checkPrimaryFirst,
  'never back': checkNeverBack,
  law: checkLaw,
  [LAW_AT_TAKEOVER]: checkLawAtTakeover,
  'one accessor': checkOneAccessor,
  'no lost edit': checkNoLostEdit,
  'mode ends': checkModeEnds,
  'tokens end': checkTokensEnd,
}

/** Checks a history against every rule, and returns the violations. */
export function checkHistory(history: History): Violation[] {
  return Object.values(CHECKERS).flatMap((check) => [...check(history)])
}
