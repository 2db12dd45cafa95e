/** The accessors of tokens, from an answer to GET /v1/acl/tokens. */
import { REDACTED_SECRET_ID } from '@latchkey/contract'
import { hashOfId } from '../dump/hidden-id.ts'

/** The fields by which a token of a dump is found in the list. */
interface Wanted {
  readonly idHash: string
  readonly name: string
  readonly createIndex: number
}

/**
 * Finds tokens by the hash of their secret if the list shows secrets, otherwise by CreateIndex and name, which the
 * migration preserves. Ambiguous matches are ignored.
 */
export class AccessorLookup {
  private readonly byHash = new Map<string, string | undefined>()
  private readonly byOrigin = new Map<string, string | undefined>()
  count = 0

  /** Adds a record of the list. Returns false if it is not a token. */
  add(record: object): boolean {
    const { AccessorID, SecretID, CreateIndex, Description } = record as Readonly<Record<string, unknown>>
    if (typeof AccessorID !== 'string') return false
    if (AccessorID === '') return true
    this.count += 1
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

  find({ idHash, name, createIndex }: Wanted): string | undefined {
    return this.byHash.get(idHash) ?? this.byOrigin.get(originOf(createIndex, name))
  }
}

function originOf(createIndex: number, name: string): string {
  return `${createIndex} ${name}`
}

function note(map: Map<string, string | undefined>, key: string, accessor: string): void {
  map.set(key, map.has(key) ? undefined : accessor)
}
