/** Reads the tokens of a snapshot archive of the legacy service, in constant memory. */
import type { DumpRecord } from '@latchkey/acl'
import { readVersion, type ServiceVersion } from '@latchkey/contract'
import type { IntentionSpec } from '../scenario/scenario.ts'
import {
  decodeFields,
  type Fields,
  fieldsOf,
  plainTextOf,
  RECORD,
  readState,
  type StateRecord,
  textOf,
} from './state.ts'
import { unpackArchive } from './unpack.ts'

const GROUP_MAX = 256

/** Yields the tokens of an archive in groups, and returns its other contents after its checksums. */
export async function* readArchive(
  packed: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly DumpRecord[], ArchiveContents> {
  const contents = new ArchiveContents()
  const state = unpackArchive(packed)
  /** Without `return`, so that a bad record does not end the archive before its checksums. */
  const chunks = { [Symbol.asyncIterator]: () => ({ next: () => state.next() }) }
  let group: DumpRecord[] = []
  let position = 0
  try {
    for await (const record of readState(chunks)) {
      const { type, byte } = record
      const isLegacy = type === RECORD.legacyToken
      if (isLegacy || type === RECORD.token) {
        contents[isLegacy ? 'legacyRecords' : 'newRecords'] += 1
        const fields = decodeFields(record)
        const value = isLegacy ? legacyTokenOf(fields, fields.ID, fields.Name) : newTokenOf(fields)
        group.push({ value, position: position++, byte, line: 0 })
        if (group.length === GROUP_MAX) {
          yield group
          group = []
        }
      } else contents.add(record)
    }
  } catch (error) {
    // If the checksum is wrong too, report the checksum: it explains the broken record.
    while ((await state.next()).done !== true);
    throw error
  } finally {
    // Closes the file if a bad record or the caller stopped the read early.
    await state.return()
  }
  yield group
  return contents
}

function legacyTokenOf(fields: Fields, id: unknown, name: unknown): object {
  return {
    ID: textOf(id),
    Name: textOf(name),
    // An empty type means the default of the legacy API.
    Type: textOf(fields.Type) || undefined,
    Rules: textOf(fields.Rules),
    ...indexesOf(fields),
  }
}

/** From 1.4.0 on, a token without an accessor has not been migrated yet. */
function newTokenOf(fields: Fields): object {
  const accessorId = textOf(fields.AccessorID)
  if (accessorId === '') return legacyTokenOf(fields, fields.SecretID, fields.Description)
  const list = (name: string): readonly unknown[] => {
    const value = fields[name]
    return Array.isArray(value) ? value : []
  }
  const links = (name: string) => list(name).map((link) => ({ ID: plainTextOf(fieldsOf(link)?.ID) }))
  const identities = (name: string) => list(name).map((each) => Object.keys(fieldsOf(each) ?? {}))
  return {
    AccessorID: accessorId,
    SecretID: textOf(fields.SecretID),
    Description: textOf(fields.Description),
    Type: textOf(fields.Type),
    Rules: textOf(fields.Rules),
    Policies: links('Policies'),
    Roles: links('Roles'),
    ServiceIdentities: identities('ServiceIdentities'),
    NodeIdentities: identities('NodeIdentities'),
    Local: fields.Local === true,
    ...indexesOf(fields),
  }
}

/** The codec writes the fields of an embedded struct into the outer record. */
function indexesOf({ CreateIndex, ModifyIndex }: Fields): object {
  return { CreateIndex: CreateIndex ?? 0, ModifyIndex: ModifyIndex ?? 0 }
}

interface ArchiveServer {
  readonly name: string
  readonly datacenter: string
  /** Servers register their version from about 1.7 on. */
  readonly version: ServiceVersion | undefined
}

const KEPT_MAX = 100_000
/** The highest type that versions up to 1.9 write. Types without a name, such as sessions and keys, are not used. */
const KNOWN_MAX = 31
const SERVER_SERVICE = 'consul'
const BOOTSTRAP_INDEX = 'acl-token-bootstrap'

export class ArchiveContents {
  readonly servers = new Map<string, ArchiveServer>()
  readonly intentions: IntentionSpec[] = []
  bootstrapped: boolean | undefined
  /** Token records in the legacy format and in the new format. A store from before 1.4.0 has only legacy records. */
  legacyRecords = 0
  newRecords = 0
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
