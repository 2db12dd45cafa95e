/** Counts the tokens of a dump and collects findings about them, by position in the dump and never by secret. */
import { ANONYMOUS_TOKEN_SECRET_ID, type LegacyFindingCode, readLegacyRecord } from '@latchkey/acl'
import type { LegacyToken } from '@latchkey/contract'
import { IdIndex } from '../dump/id-index.ts'
import type { DumpRecord } from '../dump/scanner.ts'
import { counted, type Finding, type Severity } from '../findings/finding.ts'
import { RULE_ISSUES } from '../findings/rule-findings.ts'
import { analyzeRules, type RuleAnalysis } from '../rules/analyze-rules.ts'
import type { TokenGroup } from '../scenario/scenario.ts'

/** Position of a token in its dump. */
export interface TokenPlace {
  /** From 0. */
  readonly position: number
  readonly line: number
  readonly byte: number
  /** What is wrong with this one. */
  readonly detail: string
}

export interface DumpFinding extends Finding {
  /** The first tokens that it is about. */
  readonly tokens: readonly TokenPlace[]
}

export interface TokenCounts {
  readonly total: number
  readonly client: number
  readonly management: number
  /** Whether the anonymous token is among them. It is a client token. */
  readonly anonymous: boolean
  /** Client tokens with rules. */
  readonly withRules: number
  /** Records that are not tokens or cannot be imported; the counts above exclude them. */
  readonly refused: number
}

/** Maximum number of memoized rule texts; most dumps use few. */
const ANALYSES_MAX = 10_000

interface Issue {
  readonly id: string
  readonly severity: Severity
  readonly title: string
  readonly avoid: string
  count: number
  readonly places: TokenPlace[]
}

export class TokenCensus {
  private readonly seen = new IdIndex()
  private readonly issues = new Map<string, Issue>()
  private readonly analyses = new Map<string, RuleAnalysis>()
  private readonly widening: 'keep' | 'comment-out'
  private readonly placesMax: number
  private client = 0
  private management = 0
  private withRules = 0
  private refused = 0
  private hasAnonymous = false

  /** @param options.placesMax how many tokens each finding lists. */
  constructor(options: { readonly widening: 'keep' | 'comment-out'; readonly placesMax: number }) {
    this.widening = options.widening
    this.placesMax = options.placesMax
  }

  /** Takes the next record. */
  add(record: DumpRecord): void {
    const { token, findings } = readLegacyRecord(record.value, {
      position: record.position,
      seen: this.seen,
    })
    for (const { code, severity, message } of findings) {
      const advice = DUMP_ADVICE[code]
      this.note(record, {
        id: `dump-${code.replaceAll('_', '-')}`,
        severity: severity === 'error' ? 'critical' : (advice.severity ?? 'warning'),
        title: advice.title,
        avoid: advice.avoid,
        detail: message,
      })
    }
    if (token === undefined) this.refused += 1
    else this.count(record, token)
  }

  counts(): TokenCounts {
    return {
      total: this.client + this.management,
      client: this.client,
      management: this.management,
      anonymous: this.hasAnonymous,
      withRules: this.withRules,
      refused: this.refused,
    }
  }

  /** In order of first occurrence, rules last. */
  findings(): DumpFinding[] {
    const found = [...this.issues.values()].map(({ id, severity, title, avoid, count, places }) => ({
      id,
      severity,
      count,
      detail: `${counted(count, 'token')}: ${title}: ${places[0]?.detail ?? ''} (${placeText(places[0])})`,
      avoid,
      tokens: places,
    }))
    return [...found, ...this.managementFinding()]
  }

  /** The tokens as groups of a scenario, without rules, as the census has analysed them. */
  groups(): TokenGroup[] {
    const groups: TokenGroup[] = [
      { type: 'client', count: this.withRules, rules: undefined, unwritable: false },
      { type: 'client', count: this.client - this.withRules, rules: '', unwritable: false },
      { type: 'management', count: this.management, rules: '', unwritable: false },
    ]
    return groups.filter((group) => group.count > 0)
  }

  private count(record: DumpRecord, token: LegacyToken): void {
    if (token.ID === ANONYMOUS_TOKEN_SECRET_ID) this.hasAnonymous = true
    if (token.Type === 'management') {
      this.management += 1
      return
    }
    this.client += 1
    if (token.Rules === '') return
    this.withRules += 1
    const analysis = this.analyze(token.Rules)
    for (const { id, severity, title, avoid, of } of RULE_ISSUES) {
      const detail = of(analysis)
      if (detail !== undefined) this.note(record, { id, severity, title, avoid, detail })
    }
  }

  private analyze(rules: string): RuleAnalysis {
    const known = this.analyses.get(rules)
    if (known !== undefined) return known
    const analysis = analyzeRules(rules, { widening: this.widening })
    if (this.analyses.size < ANALYSES_MAX) this.analyses.set(rules, analysis)
    return analysis
  }

  private note(
    record: DumpRecord,
    { detail, ...issue }: Omit<Issue, 'count' | 'places'> & { detail: string },
  ): void {
    const known = this.issues.get(issue.id) ?? { ...issue, count: 0, places: [] }
    this.issues.set(issue.id, known)
    known.count += 1
    if (known.places.length < this.placesMax) {
      const { position, line, byte } = record
      known.places.push({ position, line, byte, detail })
    }
  }

  private managementFinding(): DumpFinding[] {
    if (this.management === 0) return []
    return [
      {
        id: 'management-tokens',
        severity: 'info',
        count: this.management,
        detail: `${counted(this.management, 'management token')}: each is linked to global-management by the migration, and from then on the legacy API can no longer change it`,
        avoid: 'Change them through the token API after their migration.',
        tokens: [],
      },
    ]
  }
}

function placeText(place: TokenPlace | undefined): string {
  return place === undefined ? '' : `token ${place.position}, line ${place.line}, byte ${place.byte}`
}

interface DumpAdvice {
  readonly title: string
  readonly avoid: string
  /** Warnings of the reader that matter less here. */
  readonly severity?: Severity
}

/** What a finding of the reading means for the upgrade. */
const DUMP_ADVICE: Readonly<Record<LegacyFindingCode, DumpAdvice>> = {
  record_malformed: {
    title: 'records that are no objects',
    avoid: 'Create the dump again: this is not the list of a legacy server.',
  },
  field_malformed: {
    title: 'a field of the wrong type',
    avoid: 'Create the dump again, or repair the record.',
  },
  field_unknown: {
    title: 'fields that legacy tokens do not have',
    avoid: 'Check that this is the list of a legacy server.',
  },
  field_too_long: { title: 'a field that is too long', avoid: 'Shorten it through the legacy API.' },
  id_missing: { title: 'no ID', avoid: 'Make the dump with a management token.' },
  id_redacted: { title: 'a redacted ID', avoid: 'Make the dump with a token that may see secrets.' },
  id_root_name: { title: 'the name of a root authorizer as ID', avoid: 'Delete this token.' },
  id_reserved: { title: 'a reserved ID', avoid: 'Replace this token by one with another ID.' },
  id_duplicate: {
    title: 'the ID of an earlier token',
    avoid: 'Find out which of them is right: a legacy store has each ID once.',
  },
  type_unknown: { title: 'an unknown Type', avoid: 'Only client and management exist.' },
  rules_unused: {
    title: 'management tokens with rules, which limit the token in 1.4.0 and are ignored from 1.4.1',
    avoid: 'Remove the rules, or make it a client token if they were meant.',
  },
  rules_unreadable: { title: 'rules that cannot be read', avoid: 'Repair the rules.' },
  rules_ignored: { title: 'rules that are ignored', avoid: 'Remove the lines.' },
}
