/** Findings that an operator has accepted, read from a file; each has a reason and a last day. */
import { LineCounter, type Node, parseDocument, YAMLMap, YAMLSeq } from 'yaml'
import { InputError } from '../errors.ts'
import type { Finding } from '../findings/finding.ts'
import { didYouMean } from '../scenario/closest.ts'

export interface Acceptance {
  /** `id` of the finding. */
  readonly finding: string
  readonly reason: string
  /** The last day on which the acceptance is valid: `2027-01-31`, UTC. */
  readonly until: string
}

const FIELDS = ['finding', 'reason', 'until'] as const

/**
 * Reads a list of acceptances from YAML.
 *
 * @throws InputError with file, line and column.
 */
export function readAcceptances(text: string, file: string): readonly Acceptance[] {
  const lines = new LineCounter()
  const doc = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const fail = (message: string, offset: number | undefined): never => {
    const at = offset === undefined ? undefined : lines.linePos(offset)
    throw new InputError(message, { place: { file, ...(at && { line: at.line, column: at.col }) } })
  }
  const [error] = doc.errors
  if (error) fail(`not valid YAML: ${error.message}`, error.pos[0])
  const { contents } = doc
  if (!(contents instanceof YAMLSeq)) return fail('write a list of accepted findings', contents?.range?.[0])
  return contents.items.map((item: unknown) => {
    const at = (item as Node).range?.[0]
    if (!(item instanceof YAMLMap)) return fail(`write ${FIELDS.join(', ')} for each finding`, at)
    const given = new Map<string, string>()
    for (const { key, value } of item.items) {
      const name = String(key)
      const isKnown = FIELDS.some((each) => each === name)
      if (!isKnown)
        fail(`unknown field ${name}; an accepted finding has ${FIELDS.join(', ')}`, key.range?.[0])
      const written = String(value?.source ?? value?.value ?? '').trim()
      if (written === '') fail(`${name} is empty`, key.range?.[0])
      given.set(name, written)
    }
    for (const name of FIELDS) if (!given.has(name)) fail(`${name} is missing`, at)
    const [finding = '', reason = '', until = ''] = FIELDS.map((name) => given.get(name))
    if (!isDay(until)) fail(`until is not a day such as 2027-01-31: ${until}`, at)
    return { finding, reason, until }
  })
}

/** Marks findings as accepted. Accepted findings do not affect the verdict. */
export type MarkAccepted = <F extends Finding>(findings: readonly F[]) => F[]

export const acceptNone: MarkAccepted = (findings) => [...findings]

/** @param today a day such as `2026-11-22`. */
export function acceptBy(acceptances: readonly Acceptance[], today: string): MarkAccepted {
  const valid = new Map(acceptances.filter(({ until }) => today <= until).map((each) => [each.finding, each]))
  return (findings) =>
    findings.map((each) => {
      const { reason, until } = valid.get(each.id) ?? {}
      return reason === undefined || until === undefined ? each : { ...each, accepted: { reason, until } }
    })
}

/** Warnings about acceptances that have expired or match no finding. */
export function acceptanceNotes(
  acceptances: readonly Acceptance[],
  findings: readonly Pick<Finding, 'id' | 'accepted'>[],
): string[] {
  return acceptances.flatMap(({ finding, until }) => {
    const found = findings.find(({ id }) => id === finding)
    if (found === undefined) {
      const ids = findings.map(({ id }) => id)
      return [`accepted, but not found: ${finding}${didYouMean(finding, ids)}`]
    }
    return found.accepted === undefined ? [`accepted until ${until}, which has passed: ${finding}`] : []
  })
}

function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text) && text.length === 10
}
