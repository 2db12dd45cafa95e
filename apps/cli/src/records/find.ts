/** The kinds of records: where the client has them, and how people name one. */
import { nearestNames } from '@latchkey/contract/plain'
import type { Client, Policy } from '@latchkey/sdk'
import { CliError, EXIT } from '../frame/cli-error.ts'

/** For each kind: its resource of the client, and the field by which the service identifies a record. */
const RESOURCES = {
  token: ['tokens', 'AccessorID'],
  policy: ['policies', 'ID'],
  role: ['roles', 'ID'],
  namespace: ['namespaces', 'Name'],
  'auth-method': ['authMethods', 'Name'],
  'binding-rule': ['bindingRules', 'ID'],
} as const satisfies Record<string, readonly [keyof Client, string]>
export type KindName = keyof typeof RESOURCES

export type Fields = Readonly<Record<string, unknown>>

/** What the resources of all kinds have in common. A kind only gets its own records and bodies. */
interface Resource {
  list(query?: object): Promise<readonly Fields[]>
  read(key: string): Promise<Fields>
  readByName(name: string): Promise<Fields>
  create(body: Fields, options?: object): Promise<Fields>
  update(key: string, body: Fields): Promise<Fields>
  delete(key: string): Promise<unknown>
}

export function resourceOf(client: Client, kind: KindName): Resource {
  return client[RESOURCES[kind][0]] as unknown as Resource
}

export function keyOf(kind: KindName, record: Fields): string {
  return String(record[RESOURCES[kind][1]])
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isId(reference: string): boolean {
  return UUID.test(reference)
}

/** A record by its name or ID; `self` is the token of the command. @throws CliError with similar names */
export async function findRecord(client: Client, kind: KindName, reference: string): Promise<Fields> {
  if (kind === 'token' && reference === 'self') return client.tokens.self()
  if (kind === 'token' && !isId(reference)) {
    throw new CliError(`"${reference}" is not an accessor: give the AccessorID of the token, or "self"`, {
      hints: ['Find it: latchkey token list --search TEXT'],
    })
  }
  const resource = resourceOf(client, kind)
  const hasId = RESOURCES[kind][1] !== 'Name'
  if (kind === 'binding-rule' || (hasId && isId(reference))) return resource.read(reference)
  try {
    return await (hasId ? resource.readByName(reference) : resource.read(reference))
  } catch (error) {
    // Loads when it is needed: the table of commands imports this file.
    const { NotFound } = await import('@latchkey/sdk')
    if (!(error instanceof NotFound)) throw error
    throw new CliError(`there is no ${kind} "${reference}"`, {
      exitCode: EXIT.notFound,
      hints: [await similarText(client, kind, reference)],
      cause: error,
    })
  }
}

export function findPolicy(client: Client, reference: string): Promise<Policy> {
  return findRecord(client, 'policy', reference) as unknown as Promise<Policy>
}

const SUGGESTIONS_MAX = 3

/** Suggests names that differ in few letters, the closest first; then those that contain the wanted name, or are part of it. */
export async function similarText(client: Client, kind: KindName, wanted: string): Promise<string> {
  const records = await resourceOf(client, kind)
    .list()
    .catch(() => [])
  const names = records.map(({ Name }) => String(Name))
  const want = wanted.toLowerCase()
  const overlapping = names.filter((name) => {
    const known = name.toLowerCase()
    return want !== '' && known !== '' && (known.includes(want) || want.includes(known))
  })
  const similar = [...new Set([...nearestNames(wanted, names), ...overlapping])].slice(0, SUGGESTIONS_MAX)
  return similar.length > 0
    ? `Did you mean ${similar.join(' or ')}?`
    : `To list them all: latchkey ${kind} list`
}
