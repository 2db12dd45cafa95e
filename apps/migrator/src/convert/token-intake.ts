/** Groups the tokens of a dump by the decisions of their rules, without their secrets. */
import {
  ANONYMOUS_TOKEN_ACCESSOR_ID,
  ANONYMOUS_TOKEN_SECRET_ID,
  type DumpRecord,
  parseLegacyRules,
} from '@latchkey/acl'
import { AclError, type LegacyToken, limits, REDACTED_SECRET_ID } from '@latchkey/contract'
import { digest, hashOfId, isLinked, nameWithoutId } from '../dump/hidden-id.ts'
import { findReadingDifference } from '../rules/reading-difference.ts'
import type { ConversionPlan, PlannedToken } from './files/plan-schema.ts'
import { type CanonicalRule, canonicalRules, printPolicy } from './rules/canonical-rules.ts'

interface IntakeGroup {
  readonly rules: readonly CanonicalRule[]
  readonly texts: Set<string>
  readonly tokens: PlannedToken[]
}

type Meaning = { readonly group: IntakeGroup } | { readonly reason: string } | 'nothing'

const ACCESSOR = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export class TokenIntake {
  readonly management: PlannedToken[] = []
  readonly cleared: PlannedToken[] = []
  readonly unconvertible: ConversionPlan['unconvertible'][number][] = []
  readonly withoutRules: PlannedToken[] = []
  readonly linked: PlannedToken[] = []
  private readonly groupsByRules = new Map<string, IntakeGroup>()
  private readonly meanings = new Map<string, Meaning>()
  private readonly accessors: AccessorLookup | undefined

  constructor(accessors: AccessorLookup | undefined) {
    this.accessors = accessors
  }

  groups(): readonly IntakeGroup[] {
    return [...this.groupsByRules.values()]
  }

  add(record: DumpRecord, token: LegacyToken): void {
    const ref = this.refOf(record, token)
    if (ref.accessor !== undefined && this.accessors?.isLinked(ref.accessor) === true) {
      this.linked.push(ref)
      return
    }
    if (token.Type === 'management') {
      this.management.push(ref)
      return
    }
    if (token.Rules === '') {
      this.withoutRules.push(ref)
      return
    }
    const meaning = this.meanings.get(token.Rules) ?? this.read(token.Rules)
    this.meanings.set(token.Rules, meaning)
    if (meaning === 'nothing') this.cleared.push(ref)
    else if ('reason' in meaning) this.unconvertible.push({ token: ref, reason: meaning.reason })
    else {
      meaning.group.texts.add(token.Rules)
      meaning.group.tokens.push(ref)
    }
  }

  private read(text: string): Meaning {
    let rules: readonly CanonicalRule[]
    try {
      const read = parseLegacyRules(text)
      const different = findReadingDifference(text, read.rules)
      if (different !== undefined) return { reason: different.meanings }
      rules = canonicalRules(read)
    } catch (error) {
      if (!(error instanceof AclError)) throw error
      const there = findReadingDifference(text, undefined)
      return { reason: [error.message, ...(there === undefined ? [] : [there.meanings])].join('; ') }
    }
    if (rules.length === 0) return 'nothing'
    const long = rules.find(({ text: one }) => Buffer.byteLength(one) > limits.RULES_BYTES_MAX)
    if (long !== undefined) {
      return {
        reason: `a rule for ${long.kind} is longer than a policy may be: ${limits.RULES_BYTES_MAX} bytes`,
      }
    }
    const key = printPolicy(rules)
    const group = this.groupsByRules.get(key) ?? { rules, texts: new Set(), tokens: [] }
    this.groupsByRules.set(key, group)
    return { group }
  }

  private refOf({ value, position, line, byte }: DumpRecord, token: LegacyToken): PlannedToken {
    const { ID, CreateIndex } = token
    const idHash = ID === '' ? '' : hashOfId(ID)
    const name = nameWithoutId(token.Name, ID)
    const own = 'AccessorID' in value && typeof value.AccessorID === 'string' ? value.AccessorID : ''
    const accessor =
      ID === ANONYMOUS_TOKEN_SECRET_ID
        ? ANONYMOUS_TOKEN_ACCESSOR_ID
        : ACCESSOR.test(own)
          ? own
          : this.accessors?.find({ idHash, name: token.Name, createIndex: CreateIndex })
    const rulesHash = digest(token.Rules)
    return { name, idHash, accessor, rulesHash, modifyIndex: token.ModifyIndex, position, line, byte }
  }
}

/** A migrated legacy token of the token API or an archive; undefined if links override its rules. */
export function migratedToken(value: object): LegacyToken | undefined {
  const fields = value as Readonly<Record<string, unknown>>
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '')
  const isManagement = fields.Type === 'management'
  if (text('AccessorID') === '' || 'ID' in value || 'Unread' in value || isLinked(value)) return undefined
  if (!isManagement && text('Rules') === '') return undefined
  const SecretID = text('SecretID')
  return {
    ID: SecretID === REDACTED_SECRET_ID ? '' : SecretID,
    Name: text('Description'),
    Type: isManagement ? 'management' : 'client',
    Rules: text('Rules'),
    CreateIndex: typeof fields.CreateIndex === 'number' ? fields.CreateIndex : 0,
    ModifyIndex: typeof fields.ModifyIndex === 'number' ? fields.ModifyIndex : 0,
  }
}

/** Finds accessors in GET /v1/acl/tokens: by hash of the secret, otherwise by CreateIndex and name. */
export class AccessorLookup {
  private readonly byHash = new Map<string, string | undefined>()
  private readonly byOrigin = new Map<string, string | undefined>()
  private readonly linked = new Set<string>()

  add(record: object): boolean {
    const { AccessorID, SecretID, CreateIndex, Description } = record as Readonly<Record<string, unknown>>
    if (typeof AccessorID !== 'string') return false
    if (AccessorID === '') return true
    if (isLinked(record)) this.linked.add(AccessorID.toLowerCase())
    if (typeof SecretID === 'string' && SecretID !== REDACTED_SECRET_ID) {
      note(this.byHash, hashOfId(SecretID), AccessorID)
    } else if (typeof CreateIndex === 'number') {
      note(
        this.byOrigin,
        originOf(CreateIndex, typeof Description === 'string' ? Description : ''),
        AccessorID,
      )
    }
    return true
  }

  /** Whether the token has policies, roles or identities already. */
  isLinked(accessor: string): boolean {
    return this.linked.has(accessor.toLowerCase())
  }

  find({ idHash, name, createIndex }: { idHash: string; name: string; createIndex: number }) {
    return this.byHash.get(idHash) ?? this.byOrigin.get(originOf(createIndex, name))
  }
}

function originOf(createIndex: number, name: string): string {
  return `${createIndex} ${name}`
}

function note(map: Map<string, string | undefined>, key: string, accessor: string): void {
  map.set(key, map.has(key) ? undefined : accessor)
}
