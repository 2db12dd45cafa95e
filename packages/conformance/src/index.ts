export type { Case, Needs } from './case.ts'
export { CASES } from './cases/index.ts'
export type { Side } from './differential/player.ts'
export {
  type Difference,
  type DifferentialOptions,
  describeDifference,
  runDifferential,
} from './differential.ts'
export { type Address, probeTraits } from './probe.ts'
export { makeReport, type Report } from './report.ts'
export { type CaseResult, runCases } from './run.ts'
export { SECTIONS, type Section } from './sections.ts'
export {
  type OpenIdProvider,
  PLAIN_TRAITS,
  type Target,
  type TargetClock,
  type Traits,
} from './target.ts'
