/** The version gates as Markdown: the text of docs/version-gates.md. */
import { GATE_NAMES, GATES, type VersionGate } from '../gates.ts'

const HEAD = `# Version gates

What each version of the service added, changed or removed. Generated from \`packages/contract/src/gates.ts\`; to
change this page, change the table there and run \`pnpm generate\`.

A gate is open in the versions of the second column. The last column says whether opening or closing the gate can break a
correct client. Sections are those of the API reference.
`

const KINDS: readonly { readonly kind: VersionGate['kind']; readonly title: string }[] = [
  { kind: 'endpoint', title: 'Endpoints' },
  { kind: 'field', title: 'Fields' },
  { kind: 'behaviour', title: 'Behaviour' },
  { kind: 'limit', title: 'Limits' },
]

/** The whole page, with a trailing newline. */
export function renderGatesTable(): string {
  return [HEAD, ...KINDS.map(({ kind, title }) => section(kind, title))].join('\n')
}

function section(kind: VersionGate['kind'], title: string): string {
  const rows = GATE_NAMES.flatMap((name) => (GATES[name].kind === kind ? [rowOf(name, GATES[name])] : []))
  return [
    `## ${title}\n`,
    '| gate | open in | section | before and after | what a client sees | decided by | breaks clients |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function rowOf(name: string, gate: VersionGate): string {
  const cells = [
    `\`${name}\``,
    versionsOf(gate),
    gate.specRow,
    gate.sentence,
    gate.clientSees,
    gate.decidedBy,
    gate.breaksClients ? 'yes' : 'no',
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function versionsOf({ since, until }: VersionGate): string {
  if (since !== undefined && until !== undefined) return `${since} up to, not including, ${until}`
  if (until !== undefined) return `before ${until}`
  return since === undefined ? 'all' : `${since} and later`
}
