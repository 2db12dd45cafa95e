/** The contents of a snapshot archive besides tokens: servers, intentions, and the bootstrap state. */
import { readVersion, type ServiceVersion } from '@latchkey/contract'
import type { IntentionSpec } from '../scenario/scenario.ts'
import { decodeFields, type Fields, fieldsOf, plainTextOf, RECORD, type StateRecord } from './state.ts'

interface ArchiveServer {
  readonly name: string
  readonly datacenter: string
  /** Servers register their version from about 1.7 on. */
  readonly version: ServiceVersion | undefined
}

/** Maximum number of intentions and servers to keep, as in a scenario. */
const KEPT_MAX = 100_000
/** The highest type that versions up to 1.9 write. Types without a name, such as sessions and keys, are not used. */
const KNOWN_MAX = 31
const SERVER_SERVICE = 'consul'
const BOOTSTRAP_INDEX = 'acl-token-bootstrap'

export class ArchiveContents {
  readonly servers = new Map<string, ArchiveServer>()
  readonly intentions: IntentionSpec[] = []
  /** Undefined until a record of the archive shows it. */
  bootstrapped: boolean | undefined
  /** Token records in the legacy format and in the new format. A store from before 1.4.0 has only legacy records. */
  legacyRecords = 0
  newRecords = 0
  /** Number of records by type, for types that no known version writes. */
  readonly unknown = new Map<number, number>()

  add(record: StateRecord): void {
    const { type } = record
    if (type === RECORD.register) this.addRegistration(decodeFields(record))
    else if (type === RECORD.intention) this.addIntention(decodeFields(record))
    else if (type === RECORD.legacyBootstrap)
      this.bootstrapped = decodeFields(record).AllowBootstrap === false
    else if (type === RECORD.index) {
      if (plainTextOf(decodeFields(record).Key) === BOOTSTRAP_INDEX) this.bootstrapped = true
    } else if (type > KNOWN_MAX) this.unknown.set(type, (this.unknown.get(type) ?? 0) + 1)
  }

  private addRegistration(fields: Fields): void {
    const service = fieldsOf(fields.Service)
    const name = plainTextOf(fields.Node)
    if (service === undefined || name === '' || plainTextOf(service.Service) !== SERVER_SERVICE) return
    if (this.servers.size >= KEPT_MAX) return
    const version = plainTextOf(fieldsOf(service.Meta)?.version)
    this.servers.set(name, {
      name,
      datacenter: plainTextOf(fields.Datacenter),
      version: readVersion(/^\d+\.\d+\.\d+/.exec(version)?.[0] ?? ''),
    })
  }

  private addIntention(fields: Fields): void {
    if (this.intentions.length >= KEPT_MAX) return
    const text = (name: string) => plainTextOf(fields[name])
    this.intentions.push({
      source: text('SourceName'),
      destination: text('DestinationName'),
      namespace: text('DestinationNS') || 'default',
      sourceNamespace: text('SourceNS') || 'default',
      hasMeta: Object.keys(fieldsOf(fields.Meta) ?? {}).length > 0,
    })
  }
}
