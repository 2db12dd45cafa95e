/** Findings in formats for CI: JUnit XML, SARIF 2.1.0, and workflow annotations. */
import { html, PRODUCT_VERSION } from '@latchkey/contract'
import { acceptedText, counted, counts, type Finding, type Severity } from '../findings/finding.ts'

/** A finding with the input lines that it concerns. */
interface Located extends Pick<Finding, 'id' | 'severity' | 'count' | 'detail' | 'avoid' | 'accepted'> {
  readonly tokens?: readonly { readonly line: number; readonly detail: string }[]
}

export interface Outcome {
  /** The command, such as `simulate`. */
  readonly command: string
  /** The file with the scenario or the log. */
  readonly file: string
  /** The file with the tokens, if there is one. */
  readonly dump?: string
  readonly findings: readonly Located[]
  /** Findings of this severity or higher fail; undefined: none fails. */
  readonly failOn: Severity | undefined
}

export const FORMATS = ['text', 'json', 'junit', 'sarif', 'annotations'] as const
export type Format = (typeof FORMATS)[number]

/** Whether a finding fails the command. */
export function fails({ failOn }: Pick<Outcome, 'failOn'>, finding: Located): boolean {
  return failOn !== undefined && counts(finding, failOn)
}

/** One test case per finding: failed, skipped (accepted) or passed. Without findings, a single test case passes. */
export function toJunit(outcome: Outcome): string {
  const { command, file, findings } = outcome
  const suite = `latchkey-migrator ${command} ${file}`
  const cases = findings.map((each) => {
    const { id, severity, detail, avoid, accepted } = each
    const text = `${detail}\n${avoid}`
    const content = accepted
      ? html`<skipped message="${acceptedText(accepted)}"/>`
      : fails(outcome, each)
        ? html`<failure type="${severity}" message="${detail}">${text}</failure>`
        : html`<system-out>${severity}: ${text}</system-out>`
    return html`<testcase classname="${suite}" name="${id}">${content}</testcase>\n`
  })
  const all = cases.length === 0 ? [html`<testcase classname="${suite}" name="no findings"/>\n`] : cases
  const skipped = findings.filter(({ accepted }) => accepted).length
  const failed = findings.filter((each) => fails(outcome, each)).length
  const body = html`<testsuites tests="${all.length}" failures="${failed}" skipped="${skipped}">
<testsuite name="${suite}" tests="${all.length}" failures="${failed}" skipped="${skipped}">
${all}</testsuite>
</testsuites>
`
  return `<?xml version="1.0" encoding="UTF-8"?>\n${body.text.replaceAll(NOT_XML, '\uFFFD')}`
}

/** Characters that XML 1.0 forbids even when escaped. */
const NOT_XML = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g

const SARIF_LEVELS: Readonly<Record<Severity, string>> = {
  critical: 'error',
  warning: 'warning',
  info: 'note',
}

/** One result per finding; its locations are the lines of its tokens, or the file. */
export function toSarif({ file, dump, findings }: Outcome): string {
  const ids = [...new Set(findings.map(({ id }) => id))]
  const run = {
    tool: {
      driver: {
        name: 'latchkey-migrator',
        version: PRODUCT_VERSION,
        rules: ids.map((id) => ({ id, shortDescription: { text: id.replaceAll('-', ' ') } })),
      },
    },
    results: findings.map(({ id, severity, detail, avoid, accepted, tokens = [] }) => ({
      ruleId: id,
      level: SARIF_LEVELS[severity],
      message: { text: `${detail} ${avoid}` },
      locations: [
        ...(tokens.length === 0 ? [{ physicalLocation: { artifactLocation: { uri: uriOf(file) } } }] : []),
        ...tokens.map(({ line, detail: text }) => ({
          physicalLocation: { artifactLocation: { uri: uriOf(dump ?? file) }, region: { startLine: line } },
          message: { text },
        })),
      ],
      ...(accepted && { suppressions: [{ kind: 'external', justification: acceptedText(accepted) }] }),
    })),
  }
  const schema = 'https://json.schemastore.org/sarif-2.1.0.json'
  return `${JSON.stringify({ $schema: schema, version: '2.1.0', runs: [run] })}\n`
}

/** Workflow commands in the syntax of GitHub Actions, one per finding. */
export function toAnnotations(outcome: Outcome): string {
  const { file, dump, findings } = outcome
  return findings
    .map((each) => {
      const { id, severity, detail, avoid, accepted, tokens = [] } = each
      const level = fails(outcome, each) ? 'error' : severity === 'info' || accepted ? 'notice' : 'warning'
      const [place] = tokens
      const at =
        place === undefined ? `file=${property(file)}` : `file=${property(dump ?? file)},line=${place.line}`
      const more = tokens.length > 1 ? ` (the first of ${counted(each.count, 'token')})` : ''
      const advice = accepted ? acceptedText(accepted) : avoid
      return `::${level} ${at},title=${property(id)}::${data(`${detail}${more} ${advice}`)}\n`
    })
    .join('')
}

function uriOf(file: string): string {
  return file === '-' ? 'stdin' : encodeURI(file)
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
