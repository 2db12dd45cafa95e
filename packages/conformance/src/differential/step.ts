/**
 * A call of a random sequence, the same for both targets. Where a target chose a value (ids, secrets), the call has a
 * placeholder: `{token:3:AccessorID}` is the accessor of the token that the third create made on that target.
 */
export type Kind = 'token' | 'policy' | 'role' | 'namespace'

export interface Step {
  readonly method: string
  /** Below `/v1`, with its query. */
  readonly path: string
  /** The body, before placeholders are replaced. */
  readonly body: string | undefined
  /** Secret to present; `undefined`: none. */
  readonly token: string | undefined
  readonly headers: Readonly<Record<string, string>>
  /** The record that is created if the answer is 200. */
  readonly makes?: { readonly kind: Kind; readonly number: number }
}

const PLACEHOLDER = /\{(token|policy|role|namespace):(\d+):(\w+)\}/g

export function placeholder(kind: Kind, number: number, field: string): string {
  return `{${kind}:${number}:${field}}`
}

/** Records that one target created, by kind and number. */
export class Made {
  private readonly records = new Map<string, Readonly<Record<string, unknown>>>()

  add(kind: Kind, number: number, record: Readonly<Record<string, unknown>>): void {
    this.records.set(`${kind}:${number}`, record)
  }

  /** Replaces placeholders with this target's values. Records that were never created get a fixed unknown id. */
  fill(text: string): string {
    return text.replace(PLACEHOLDER, (_, kind: string, number: string, field: string) => {
      const value = this.records.get(`${kind}:${number}`)?.[field]
      return typeof value === 'string' ? value : `99999999-0000-4000-8000-${number.padStart(12, '0')}`
    })
  }

  /** Paths to delete the created records, newest first; namespaces last, because they must be empty. */
  paths(): string[] {
    const made = [...this.records]
      .reverse()
      .map(([key, record]) => pathOf(key.split(':', 1)[0] as Kind, record))
    return made.toSorted((a, b) => Number(a.startsWith('/namespace')) - Number(b.startsWith('/namespace')))
  }
}

function pathOf(kind: Kind, { ID, AccessorID, Name, Namespace }: Readonly<Record<string, unknown>>): string {
  if (kind === 'namespace') return `/namespace/${Name}`
  return `/acl/${kind}/${kind === 'token' ? AccessorID : ID}${Namespace ? `?ns=${Namespace}` : ''}`
}
