/**
 * What an upgrade would make of a dump of legacy tokens, computed with the service's rules in the browser. Nothing of the dump
 * is sent anywhere, and the result contains no secret.
 */
import {
  ACCESSOR_BATCH_SIZE_MAX,
  batchCountOf,
  batchesDurationMs,
  checkLegacyRules,
  type DumpRecord,
  DumpScanner,
  type LegacyFindingCode,
  readLegacyRecord,
  translateLegacyRules,
} from '@latchkey/acl'

/** A token that a finding is about. */
interface Place {
  /** Empty if the token has none, or if it contains the secret. */
  readonly name: string
  /** Position in the file, from 1. */
  readonly position: number
  readonly message: string
}

export interface DumpFinding {
  readonly code: LegacyFindingCode
  /** An `error` excludes the token from the import. */
  readonly severity: 'error' | 'warning'
  /** Number of tokens, however many problems of this kind each has. */
  readonly tokens: number
  /** The first of these tokens. */
  readonly places: readonly Place[]
}

/** Rules that tokens share, and the policy that grants the same rights. */
export interface RuleText {
  readonly rules: string
  readonly tokens: number
}

export interface DumpPlan {
  /** Tokens that can be imported. */
  readonly tokens: number
  readonly management: number
  /** Client tokens with rules: each needs a policy before 1.11. */
  readonly withRules: number
  /** Records that cannot be imported. */
  readonly refused: number
  /** Batches of the accessor migration. */
  readonly batches: number
  readonly batchSize: number
  /** Minimum duration of the accessor migration, in milliseconds. */
  readonly durationMs: number
  /** Errors first. */
  readonly findings: readonly DumpFinding[]
  /** Most used first. */
  readonly texts: readonly RuleText[]
}

const PLACES_MAX = 5

/**
 * Reads a dump as it arrives, so a large file needs little memory.
 *
 * @param onProgress receives the number of bytes so far.
 * @throws DumpSyntaxError if the text is not a list of tokens.
 */
export async function planDump(
  chunks: ReadableStream<Uint8Array>,
  onProgress: (bytes: number) => void,
): Promise<DumpPlan> {
  const scanner = new DumpScanner()
  const census = new Census()
  const reader = chunks.getReader()
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.length
    for (const record of scanner.push(value)) census.add(record)
    onProgress(bytes)
  }
  scanner.end()
  return census.plan()
}

class Census {
  private readonly seen = new Map<string, number>()
  private readonly texts = new Map<string, number>()
  private readonly findings = new Map<
    LegacyFindingCode,
    { severity: 'error' | 'warning'; tokens: number; last: number; places: Place[] }
  >()
  private tokens = 0
  private management = 0
  private withRules = 0
  private refused = 0

  add({ value, position }: DumpRecord): void {
    const { token, findings } = readLegacyRecord(value, { position, seen: this.seen })
    const inRules =
      token === undefined || this.texts.has(token.Rules) ? [] : checkLegacyRules(token, position)
    for (const { code, severity, message } of [...findings, ...inRules]) {
      const found = this.findings.get(code) ?? { severity, tokens: 0, last: -1, places: [] }
      this.findings.set(code, found)
      if (found.last === position) continue
      found.last = position
      found.tokens += 1
      if (found.places.length < PLACES_MAX) {
        found.places.push({ name: shownName(value), position: position + 1, message })
      }
    }
    if (token === undefined) {
      this.refused += 1
      return
    }
    this.tokens += 1
    if (token.Type === 'management') this.management += 1
    else if (token.Rules !== '') {
      this.withRules += 1
      this.texts.set(token.Rules, (this.texts.get(token.Rules) ?? 0) + 1)
    }
  }

  plan(): DumpPlan {
    const findings = [...this.findings].map(([code, { severity, tokens, places }]) => ({
      code,
      severity,
      tokens,
      places,
    }))
    return {
      tokens: this.tokens,
      management: this.management,
      withRules: this.withRules,
      refused: this.refused,
      batches: batchCountOf(this.tokens),
      batchSize: ACCESSOR_BATCH_SIZE_MAX,
      durationMs: this.tokens === 0 ? 0 : batchesDurationMs(this.tokens),
      findings: findings.sort((a, b) => (a.severity < b.severity ? -1 : a.severity > b.severity ? 1 : 0)),
      texts: [...this.texts]
        .map(([rules, tokens]) => ({ rules, tokens }))
        .sort((a, b) => b.tokens - a.tokens),
    }
  }
}

function shownName(record: object): string {
  const { Name, ID } = record as { readonly Name?: unknown; readonly ID?: unknown }
  if (typeof Name !== 'string') return ''
  const holdsSecret = typeof ID === 'string' && ID !== '' && Name.toLowerCase().includes(ID.toLowerCase())
  return holdsSecret ? '' : Name
}

/** The rules of a policy that grants the same rights, and what was left out; `undefined` if the text cannot be parsed. */
export function policyOf(rules: string): { rules: string; notes: readonly string[] } | undefined {
  try {
    const translation = translateLegacyRules(rules, { widening: 'comment-out' })
    return { rules: translation.rules, notes: translation.notes.map(({ message }) => message) }
  } catch {
    return undefined
  }
}
