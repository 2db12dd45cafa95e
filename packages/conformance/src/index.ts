export { type Case, type Needs, whySkipped } from './case.ts'
export { CASES } from './cases/index.ts'
export type { Side } from './differential/player.ts'
export {
  type Difference,
  type DifferentialOptions,
  type DifferentialResult,
  describeDifference,
  runDifferential,
} from './differential.ts'
export { type Address, probeTraits } from './probe.ts'
export { makeReport, type Report, renderReport, type SectionResult } from './report.ts'
export { type CaseResult, runCases } from './run.ts'
export { isSection, SECTIONS, type Section } from './sections.ts'
export { PLAIN_TRAITS, type Target, type TargetClock, type Traits } from './target.ts'
