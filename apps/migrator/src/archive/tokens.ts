/** Tokens of a snapshot archive, as records of a dump. */
import { decodeFields, type Fields, fieldsOf, listOf, plainTextOf, textOf } from './decode-value.ts'
import { RECORD, type StateRecord } from './framer.ts'

/** Converts a token record to a record of a dump; undefined if it is not a token. @throws ArchiveError */
export function tokenOf({ type, value, byte }: StateRecord): object | undefined {
  if (type === RECORD.legacyToken) return legacyTokenOf(decodeFields(value, byte), byte)
  if (type === RECORD.token) return newTokenOf(decodeFields(value, byte), byte)
  return undefined
}

function legacyTokenOf(fields: Fields, byte: number): object {
  return {
    ID: textOf(fields.ID, byte),
    Name: textOf(fields.Name, byte),
    Type: typeOf(fields.Type, byte),
    Rules: textOf(fields.Rules, byte),
    ...indexesOf(fields),
  }
}

/** From 1.4.0 on, a token without an accessor has not been migrated yet. */
function newTokenOf(fields: Fields, byte: number): object {
  const accessorId = textOf(fields.AccessorID, byte)
  if (accessorId === '') {
    return {
      ID: textOf(fields.SecretID, byte),
      Name: textOf(fields.Description, byte),
      Type: typeOf(fields.Type, byte),
      Rules: textOf(fields.Rules, byte),
      ...indexesOf(fields),
    }
  }
  const links = (name: string) => listOf(fields[name]).map((link) => ({ ID: idOf(link, byte) }))
  const identities = (name: string) => listOf(fields[name]).map((each) => Object.keys(fieldsOf(each) ?? {}))
  return {
    AccessorID: accessorId,
    SecretID: textOf(fields.SecretID, byte),
    Description: textOf(fields.Description, byte),
    Type: textOf(fields.Type, byte),
    Rules: textOf(fields.Rules, byte),
    Policies: links('Policies'),
    Roles: links('Roles'),
    ServiceIdentities: identities('ServiceIdentities'),
    NodeIdentities: identities('NodeIdentities'),
    Local: fields.Local === true,
    ...indexesOf(fields),
  }
}

function idOf(link: unknown, byte: number): string {
  return plainTextOf(fieldsOf(link)?.ID, byte)
}

/** Omits an empty type, which means the default of the legacy API. */
function typeOf(value: unknown, byte: number): unknown {
  const type = textOf(value, byte)
  return type === '' ? undefined : type
}

/** The codec writes the fields of an embedded struct into the outer record. */
function indexesOf({ CreateIndex, ModifyIndex }: Fields): object {
  return { CreateIndex: CreateIndex ?? 0, ModifyIndex: ModifyIndex ?? 0 }
}
