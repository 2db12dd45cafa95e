/** The report of a run, as text and as JSON. */
import type { CaseResult } from './run.ts'
import { SECTIONS } from './sections.ts'
import type { Target } from './target.ts'

interface SectionResult {
  readonly id: string
  readonly title: string
  /** `shown`: a case passed and none failed. `skipped`: this target could not run its cases. `uncovered`: it has no case. */
  readonly outcome: 'shown' | 'failed' | 'skipped' | 'uncovered' | 'elsewhere'
  readonly cases: readonly string[]
  readonly elsewhere?: string
}

export interface Report {
  readonly target: Pick<Target, 'name' | 'url' | 'prefix' | 'traits'>
  readonly counts: Readonly<Record<CaseResult['outcome'], number>>
  readonly cases: readonly CaseResult[]
  readonly sections: readonly SectionResult[]
  /** Rows of the spec that no case covers. */
  readonly uncovered: readonly string[]
}

export function makeReport({ name, url, prefix, traits }: Target, cases: readonly CaseResult[]): Report {
  const sections = SECTIONS.map((section): SectionResult => {
    const found = cases.filter((one) => one.sections.includes(section.id))
    return { ...section, outcome: sectionOutcome(found, section.elsewhere), cases: found.map(({ id }) => id) }
  })
  const count = (outcome: CaseResult['outcome']) => cases.filter((one) => one.outcome === outcome).length
  return {
    target: { name, url, prefix, traits },
    counts: { passed: count('passed'), failed: count('failed'), skipped: count('skipped') },
    cases,
    sections,
    uncovered: sections.filter(({ outcome }) => outcome === 'uncovered').map(({ id }) => id),
  }
}

function sectionOutcome(
  cases: readonly CaseResult[],
  elsewhere: string | undefined,
): SectionResult['outcome'] {
  const has = (outcome: CaseResult['outcome']) => cases.some((one) => one.outcome === outcome)
  if (has('failed')) return 'failed'
  if (has('passed')) return 'shown'
  if (has('skipped')) return 'skipped'
  return elsewhere === undefined ? 'uncovered' : 'elsewhere'
}

/** The report as text: failures, then skipped cases and why, then the rows of the spec. */
export function renderReport({ target, counts, cases, sections }: Report): string {
  const { traits } = target
  const lines = [
    `${target.name}: ${target.url}, headers ${target.prefix}*`,
    `version ${traits.version}, ${traits.edition} edition, ACLs ${traits.acl}, ${traits.mode} mode, default ${traits.defaultPolicy}`,
    '',
  ]
  for (const one of cases.filter(({ outcome }) => outcome === 'failed')) {
    lines.push(`FAILED ${one.id} [${one.sections.join(', ')}] ${one.title}`, indent(one.reason ?? ''), '')
  }
  const skipped = Map.groupBy(
    cases.filter(({ outcome }) => outcome === 'skipped'),
    ({ reason }) => reason ?? '',
  )
  for (const [reason, group] of skipped) lines.push(`skipped ${group.length}: ${reason}`)
  for (const outcome of ['failed', 'uncovered', 'skipped', 'elsewhere'] as const) {
    const found = sections.filter((section) => section.outcome === outcome)
    if (found.length === 0) continue
    lines.push('', `${SECTION_HEADINGS[outcome]}:`)
    for (const { id, title, elsewhere } of found) {
      lines.push(`  ${id}  ${title}${elsewhere === undefined ? '' : ` (${elsewhere})`}`)
    }
  }
  const shown = sections.filter(({ outcome }) => outcome === 'shown').length
  lines.push(
    '',
    `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped; ` +
      `${shown} of ${sections.length} rows of the spec shown`,
  )
  return lines.join('\n')
}

const SECTION_HEADINGS = {
  failed: 'Rows of the spec that failed',
  uncovered: 'Rows of the spec without a case',
  skipped: 'Rows of the spec that this target could not show',
  elsewhere: 'Rows of the spec that cannot be shown from outside',
} as const

function indent(text: string): string {
  return text.replace(/^/gm, '  ')
}
