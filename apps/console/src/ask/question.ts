import { RESOURCE_KINDS } from '@latchkey/contract/plain'
import type { AuthorizeCheck } from '@latchkey/sdk'

export type Kind = AuthorizeCheck['Resource']
export type Access = AuthorizeCheck['Access']

export const ACCESS_NAMES = { read: 'Read', write: 'Write', list: 'List', 'write-prefix': 'Write all below' }

interface KindTexts {
  readonly name: string
  readonly thing: string
  readonly label?: string
}

/** The kinds to choose from, the most frequent first. */
const KIND_TEXTS: Readonly<Record<Kind, KindTexts>> = {
  key: { name: 'Key', thing: 'the key', label: 'Key' },
  service: { name: 'Service', thing: 'the service', label: 'Service' },
  node: { name: 'Node', thing: 'the node', label: 'Node' },
  session: { name: 'Sessions of a node', thing: 'the sessions of the node', label: 'Node of the session' },
  intention: { name: 'Intentions of a service', thing: 'the intentions of' },
  agent: { name: 'Agent', thing: 'the agent' },
  query: { name: 'Prepared query', thing: 'the prepared query' },
  event: { name: 'Event', thing: 'the event', label: 'Event' },
  acl: { name: 'Access control', thing: 'tokens, policies and roles' },
  operator: { name: 'Operator', thing: 'the settings of operators' },
  keyring: { name: 'Keyring', thing: 'the keyring' },
  mesh: { name: 'Mesh', thing: 'the mesh' },
  peering: { name: 'Peering', thing: 'peerings' },
}
export const KINDS = Object.keys(KIND_TEXTS) as Kind[]

export function resourceOf(kind: Kind) {
  const { isNamed, accesses }: { isNamed: boolean; accesses: readonly Access[] } = RESOURCE_KINDS[kind]
  return { isNamed, accesses, ...KIND_TEXTS[kind] }
}

export interface Question {
  /** Accessor of the token in question; absent: the person's own. */
  readonly token?: string
  readonly kind: Kind
  /** Absent for kinds without names. */
  readonly segment?: string
  readonly access: Access
}

export type QuestionSearch = Partial<Question>

/** Reads the search of a URL, and drops what it does not recognise. */
export function readQuestion(search: Readonly<Record<string, unknown>>): QuestionSearch {
  const kind = KINDS.find((each) => each === search.kind)
  const access = kind && resourceOf(kind).accesses.find((each) => each === search.access)
  const found = { token: textOf(search.token), kind, segment: textOf(search.segment), access }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function wholeQuestion({ token, kind, segment, access }: QuestionSearch): Question | undefined {
  if (kind === undefined || access === undefined) return undefined
  if (resourceOf(kind).isNamed !== (segment !== undefined)) return undefined
  return {
    kind,
    access,
    ...(token === undefined ? {} : { token }),
    ...(segment === undefined ? {} : { segment }),
  }
}

/** The question in the form that the service takes. */
export function checkOf({ kind, segment, access }: Question): AuthorizeCheck {
  return { Resource: kind, Access: access, ...(segment === undefined ? {} : { Segment: segment }) }
}
