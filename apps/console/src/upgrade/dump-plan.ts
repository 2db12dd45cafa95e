/** What an upgrade makes of a dump of legacy tokens. The dump stays in the browser, and the result has no secret. */
import * as acl from '@latchkey/acl'

/** Findings: errors, which exclude a token from the import, come first. Texts: the most used rules first. */
export type DumpPlan = ReturnType<Census['plan']>
export type DumpFinding = DumpPlan['findings'][number]
/** Rules that tokens share. */
export type RuleText = DumpPlan['texts'][number]

/** The name is empty if the token has none, or if it contains the secret. The position counts from 1. */
interface Place {
  readonly name: string
  readonly position: number
  readonly message: string
}

const PLACES_MAX = 5

/** Reads a dump as it arrives, so a large file needs little memory. @throws DumpSyntaxError */
export async function planDump(
  chunks: ReadableStream<Uint8Array>,
  onProgress: (bytes: number) => void,
): Promise<DumpPlan> {
  const scanner = new acl.DumpScanner()
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
    acl.LegacyFindingCode,
    { severity: 'error' | 'warning'; tokens: number; last: number; places: Place[] }
  >()
  private tokens = 0
  private management = 0
  private withRules = 0
  private refused = 0

  add({ value, position }: acl.DumpRecord): void {
    const { token, findings } = acl.readLegacyRecord(value, { position, seen: this.seen })
    const inRules =
      token === undefined || this.texts.has(token.Rules) ? [] : acl.checkLegacyRules(token, position)
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

  plan() {
    const findings = [...this.findings].map(([code, { last: _, ...finding }]) => ({ code, ...finding }))
    return {
      tokens: this.tokens,
      management: this.management,
      withRules: this.withRules,
      refused: this.refused,
      batches: acl.batchCountOf(this.tokens),
      batchSize: acl.ACCESSOR_BATCH_SIZE_MAX,
      durationMs: this.tokens === 0 ? 0 : acl.batchesDurationMs(this.tokens),
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
    const translation = acl.translateLegacyRules(rules, { widening: 'comment-out' })
    return { rules: translation.rules, notes: translation.notes.map(({ message }) => message) }
  } catch {
    return undefined
  }
}
