/** Finds the records of a former primary that its replacement lacks. Decisions: promotion. */
import { createHash } from 'node:crypto'
import { type Changes, parseInstant } from '@latchkey/contract'

interface RecordSummary {
  readonly kind: 'namespace' | 'policy' | 'role' | 'token'
  /** Name of a namespace, ID, or accessor in lower case. */
  readonly key: string
  readonly label: string
  readonly createTime: string | undefined
  /** A digest of its content, without the indexes of its datacenter. */
  readonly digest: string
}

export interface Difference {
  readonly record: RecordSummary
  readonly is: 'missing' | 'different'
}

/** The records of a page, without tokens that had expired at its time: they grant no rights. */
export function summarize({ Namespaces, Policies, Roles, Tokens, Time }: Changes): readonly RecordSummary[] {
  const now = parseInstant(Time) ?? 0
  const isLive = ({ ExpirationTime }: Changes['Tokens'][number]) =>
    ExpirationTime === undefined || (parseInstant(ExpirationTime) ?? 0) > now
  const named = (kind: RecordSummary['kind'], key: string, record: { readonly Name: string }) => ({
    ...{ kind, key, label: record.Name, createTime: undefined, digest: digestOf(record) },
  })
  return [
    ...Namespaces.map((record) => named('namespace', record.Name, record)),
    ...Policies.map((record) => named('policy', record.ID, record)),
    ...Roles.map((record) => named('role', record.ID, record)),
    ...Tokens.filter(isLive).map((record) => ({
      kind: 'token' as const,
      key: record.AccessorID.toLowerCase(),
      label: record.Description,
      createTime: record.CreateTime,
      digest: digestOf(record),
    })),
  ]
}

/** Finds records of another datacenter that one lacks or has with other content. About 150 bytes a record. */
export class Comparison {
  private readonly digests = new Map<string, string>()

  add(records: readonly RecordSummary[]): void {
    for (const { kind, key, digest } of records) this.digests.set(`${kind} ${key}`, digest)
  }

  differences(others: readonly RecordSummary[]): readonly Difference[] {
    return others.flatMap((record) => {
      const digest = this.digests.get(`${record.kind} ${record.key}`)
      if (digest === record.digest) return []
      return [{ record, is: digest === undefined ? 'missing' : 'different' }]
    })
  }
}

/** A digest of the whole record with its secret, but without the indexes, which differ between datacenters. */
function digestOf(record: object): string {
  const fields = Object.entries(record)
    .filter(([name]) => name !== 'CreateIndex' && name !== 'ModifyIndex')
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(fields)).digest('base64').slice(0, 22)
}
