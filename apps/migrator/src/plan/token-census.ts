/** Counts the tokens of a dump and collects findings about them, by name and hash of the ID, never by secret. */
import {
  ANONYMOUS_TOKEN_SECRET_ID,
  type DumpRecord,
  type LegacyFindingCode,
  readLegacyRecord,
} from '@latchkey/acl'
import type { LegacyToken } from '@latchkey/contract'
import type { ArchiveContents } from '../archive/read-archive.ts'
import { hashOfId, isLinked, nameWithoutId } from '../dump/hidden-id.ts'
import { agrees, counted, type Finding, type Severity, type TokenPlace } from '../findings/finding.ts'
import { READING_ISSUES, RULE_ISSUES } from '../findings/rule-findings.ts'
import { analyzeRules, type RuleAnalysis } from '../rules/analyze-rules.ts'
import type { TokenGroup } from '../scenario/scenario.ts'

export interface TokenCounts {
  readonly total: number
  readonly client: number
  readonly management: number
  readonly anonymous: boolean
  readonly withRules: number
  /** Records that are not tokens or cannot be imported. The counts above exclude them. */
  readonly refused: number
  /** Tokens that already have an accessor and need no migration. The counts above exclude them. */
  readonly withAccessor: number
  /** Tokens with an accessor whose rights come only from legacy rules or a legacy type. */
  readonly withLegacyRights: number
  /** How many of these are management tokens. */
  readonly unlinkedManagement: number
}

const ANALYSES_MAX = 10_000

interface Issue {
  readonly id: string
  readonly severity: Severity
  readonly title: string
  readonly avoid: string
  /** Number of affected tokens. A token with several problems counts once. */
  count: number
  lastPosition: number
  readonly places: TokenPlace[]
}

export interface CensusOptions {
  readonly widening: 'keep' | 'comment-out'
  readonly placesMax: number
}

export class TokenCensus {
  private readonly seen = new Map<string, number>()
  private readonly issues = new Map<string, Issue>()
  private readonly analyses = new Map<string, RuleAnalysis>()
  private readonly options: CensusOptions
  private readonly totals = {
    ...{ total: 0, client: 0, management: 0, anonymous: false, withRules: 0, refused: 0 },
    ...{ withAccessor: 0, withLegacyRights: 0, unlinkedManagement: 0 },
  }
  readonly legacyRightsPlaces: TokenPlace[] = []
  readonly unlinkedPlaces: TokenPlace[] = []
  contents: ArchiveContents | undefined

  constructor(options: CensusOptions) {
    this.options = options
  }

  add(record: DumpRecord): LegacyToken | undefined {
    if ('Unread' in record.value) {
      this.totals.refused += 1
      this.note(record, { ...UNREAD, detail: `${record.value.Unread}` })
      return undefined
    }
    if ('AccessorID' in record.value && !('ID' in record.value)) {
      if ('Rules' in record.value && typeof record.value.Rules === 'string' && record.value.AccessorID !== '')
        this.addNewToken(record)
      else {
        this.totals.refused += 1
        this.note(record, 'Legacy' in record.value ? LEGACY_IN_NEW_LIST : NEW_LIST)
      }
      return undefined
    }
    const { token, findings } = readLegacyRecord(record.value, { position: record.position, seen: this.seen })
    for (const { code, severity, message } of findings) {
      const [title, avoid] = DUMP_ADVICE[code]
      this.note(record, {
        id: `dump-${code.replaceAll('_', '-')}`,
        severity: severity === 'error' ? 'critical' : 'warning',
        title,
        avoid,
        detail: message,
      })
    }
    if (token === undefined) this.totals.refused += 1
    else this.count(record, token)
    return token
  }

  counts(): TokenCounts {
    return this.totals
  }

  findings(): Finding[] {
    const found = [...this.issues.values()].map(({ id, severity, title, avoid, count, places }) => ({
      id,
      severity,
      count,
      detail: [
        `${counted(count, 'token')}: ${title}`,
        ...(places[0] === undefined ? [] : [`${placeText(places[0])}: ${places[0].detail}`]),
      ].join(': '),
      avoid,
      ...(places.length === 0 ? {} : { tokens: places }),
    }))
    const count = this.totals.management
    if (count === 0) return found
    const management = {
      id: 'management-tokens',
      severity: 'info',
      count,
      detail: `${counted(count, 'management token')}: the migration links each to global-management, and the legacy API cannot change it afterwards`,
      avoid: 'Change them through the token API after their migration.',
    } as const
    return [...found, management]
  }

  /** The tokens as groups of a scenario, without rules, since the census has already analysed them. */
  groups(): TokenGroup[] {
    const { client, management, withRules } = this.totals
    const groups: TokenGroup[] = [
      { type: 'client', count: withRules, rules: undefined, unwritable: false },
      { type: 'client', count: client - withRules, rules: '', unwritable: false },
      { type: 'management', count: management, rules: '', unwritable: false },
    ]
    return groups.filter((group) => group.count > 0)
  }

  private addNewToken(record: DumpRecord): void {
    this.totals.withAccessor += 1
    const { AccessorID, Rules, Type, ...fields } = record.value as Readonly<Record<string, unknown>>
    const isLegacy = (typeof Rules === 'string' && Rules !== '') || Type === 'management'
    if (isLinked(record.value) || !isLegacy) return
    this.totals.withLegacyRights += 1
    // What 1.4.0 changes is behind this token.
    if (typeof Rules === 'string' && Type !== 'management') this.noteRules(record, Rules, READING_ISSUES)
    if (Type === 'management') this.totals.unlinkedManagement += 1
    const places = Type === 'management' ? this.unlinkedPlaces : this.legacyRightsPlaces
    if (places.length < this.options.placesMax) {
      const { position, line, byte } = record
      const detail = `accessor ${typeof AccessorID === 'string' ? AccessorID : 'unknown'}`
      const name = shortName(fields.Description, fields.SecretID)
      places.push({ name, idHash: '', position, line, byte, detail })
    }
  }

  private count(record: DumpRecord, token: LegacyToken): void {
    if (token.ID === ANONYMOUS_TOKEN_SECRET_ID) this.totals.anonymous = true
    this.totals.total += 1
    if (token.Type === 'management') {
      this.totals.management += 1
      return
    }
    this.totals.client += 1
    if (token.Rules === '') return
    this.totals.withRules += 1
    this.noteRules(record, token.Rules, RULE_ISSUES)
  }

  private noteRules(record: DumpRecord, rules: string, issues: typeof RULE_ISSUES): void {
    const analysis = this.analyze(rules)
    for (const { id, severity, title, avoid, of } of issues) {
      const detail = of(analysis)
      if (detail !== undefined) this.note(record, { id, severity, title, avoid, detail })
    }
  }

  private analyze(rules: string): RuleAnalysis {
    const known = this.analyses.get(rules)
    if (known !== undefined) return known
    const analysis = analyzeRules(rules, this.options)
    if (this.analyses.size < ANALYSES_MAX) this.analyses.set(rules, analysis)
    return analysis
  }

  private note(
    record: DumpRecord,
    { detail, ...issue }: Omit<Issue, 'count' | 'lastPosition' | 'places'> & { detail: string },
  ): void {
    const { position, line, byte } = record
    const known = this.issues.get(issue.id) ?? { ...issue, count: 0, lastPosition: -1, places: [] }
    this.issues.set(issue.id, known)
    if (known.lastPosition === position) return
    known.count += 1
    known.lastPosition = position
    if (known.places.length < this.options.placesMax)
      known.places.push({ ...identify(record.value), position, line, byte, detail })
  }
}

/** Management tokens of a list that the migration has passed without linking them. */
export function unlinkedFinding(count: number) {
  return {
    id: 'management-unlinked',
    count,
    detail: `${counted(count, 'management token')} ${agrees(count, 'has an accessor and no policy, because it was a client token', 'have an accessor and no policy, because they were client tokens')} until after the migration: from 1.11 on the type is ignored, and only the default policy applies`,
    avoid: 'Link global-management through the token API before 1.11.',
  } as const
}

const NAME_LENGTH_MAX = 60

function identify(record: object): Pick<TokenPlace, 'name' | 'idHash'> {
  const { Name, Description, ID, SecretID } = record as Readonly<Record<string, unknown>>
  return {
    name: shortName(Name ?? Description, ID ?? SecretID),
    idHash: typeof ID === 'string' && ID !== '' ? hashOfId(ID) : '',
  }
}

function shortName(name: unknown, id: unknown): string {
  if (typeof name !== 'string') return ''
  return nameWithoutId(name, id).replaceAll(/\s+/g, ' ').slice(0, NAME_LENGTH_MAX)
}

/** Describes a token: `"web servers" (ID 3f5a…, token 3, line 5, byte 812)`; a token of a snapshot archive has no line. */
export function placeText({ name, idHash, position, line, byte }: TokenPlace): string {
  const named = name === '' ? 'an unnamed token' : JSON.stringify(name)
  const id = idHash === '' ? '' : `ID hash ${idHash}, `
  return `${named} (${id}token ${position}, ${line === 0 ? '' : `line ${line}, `}byte ${byte})`
}

const DUMP_LEGACY_LIST =
  'Dump the legacy list, GET /v1/acl/list, with a management token, or scan the servers, which reads the rules of each token.'

export const UNREAD = {
  id: 'dump-unread',
  severity: 'critical' as const,
  title: 'tokens that could not be read completely, so that nothing is known about their rights',
  avoid: 'Scan again, with a token that may read every token. Do not convert or upgrade from this dump.',
}

const NEW_LIST = {
  id: 'dump-new-list',
  severity: 'critical' as const,
  title: 'records of the list of the token API (/v1/acl/tokens) without legacy rules to migrate',
  avoid: `${DUMP_LEGACY_LIST} Tokens that the token API created need no migration.`,
  detail: 'it has an AccessorID, and neither ID nor Rules',
}

const LEGACY_IN_NEW_LIST = {
  id: 'dump-legacy-without-rules',
  severity: 'critical' as const,
  title: 'legacy tokens in the list of the token API (/v1/acl/tokens), which does not show their rules',
  avoid: DUMP_LEGACY_LIST,
  detail: 'it is marked as Legacy, and its rules are missing',
}

const DUMP_ADVICE: Readonly<Record<LegacyFindingCode, readonly [title: string, avoid: string]>> = {
  field_malformed: ['a field of the wrong type', 'Create the dump again, or correct the record.'],
  field_unknown: ['fields that legacy tokens do not have', 'Check that this is the list of a legacy server.'],
  field_too_long: ['a field that is too long', 'Shorten it through the legacy API.'],
  field_case: [
    'field names in another case',
    'Write the names as GET /v1/acl/list shows them: ID, Name, Type, Rules, CreateIndex and ModifyIndex. Best create the dump again without converting it.',
  ],
  list_wrapped: ['a list inside an object', 'Give only the list, a JSON array of tokens.'],
  token_of_token_api: [NEW_LIST.title, NEW_LIST.avoid],
  id_missing: ['no ID', 'Check that this is the legacy list, GET /v1/acl/list, and create the dump again.'],
  id_redacted: ['a redacted ID', 'Create the dump with a token that may see secrets.'],
  id_root_name: ['the name of a root authorizer as ID', 'Delete this token.'],
  id_reserved: ['a reserved ID', 'Replace this token with one that has another ID.'],
  id_duplicate: [
    'the ID of an earlier token',
    'Find out which one is correct: a legacy store holds each ID once.',
  ],
  type_unknown: ['an unknown Type', 'Only client and management exist.'],
  rules_unused: [
    'management tokens with rules, which limit the token in 1.4.0 and are ignored from 1.4.1',
    'Remove the rules, or make these client tokens if the rules were intended.',
  ],
  rules_unreadable: ['rules that cannot be parsed', 'Correct the rules.'],
  rules_ignored: ['rules that are ignored', 'Remove the lines.'],
}
