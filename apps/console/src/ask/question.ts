/** A question, as represented in the URL. */
import type { AuthorizeCheck } from '@latchkey/sdk'

/** Kinds of resources, and whether they have names. */
export const RESOURCES = [
  { kind: 'key', isNamed: true, accesses: ['read', 'write', 'list', 'write-prefix'] },
  { kind: 'service', isNamed: true, accesses: ['read', 'write'] },
  { kind: 'node', isNamed: true, accesses: ['read', 'write'] },
  { kind: 'session', isNamed: true, accesses: ['read', 'write'] },
  { kind: 'intention', isNamed: true, accesses: ['read', 'write'] },
  { kind: 'agent', isNamed: true, accesses: ['read', 'write'] },
  { kind: 'query', isNamed: true, accesses: ['read', 'write'] },
  { kind: 'event', isNamed: true, accesses: ['read', 'write'] },
  { kind: 'acl', isNamed: false, accesses: ['read', 'write'] },
  { kind: 'operator', isNamed: false, accesses: ['read', 'write'] },
  { kind: 'keyring', isNamed: false, accesses: ['read', 'write'] },
  { kind: 'mesh', isNamed: false, accesses: ['read', 'write'] },
  { kind: 'peering', isNamed: false, accesses: ['read', 'write'] },
] as const

export type Kind = (typeof RESOURCES)[number]['kind']
export type Access = (typeof RESOURCES)[number]['accesses'][number]

export function resourceOf(kind: Kind): { readonly isNamed: boolean; readonly accesses: readonly Access[] } {
  return RESOURCES.find((each) => each.kind === kind) ?? RESOURCES[0]
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
  const resource = RESOURCES.find(({ kind }) => kind === search.kind)
  const access = resource?.accesses.find((each) => each === search.access)
  const found = {
    token: textOf(search.token),
    kind: resource?.kind,
    segment: textOf(search.segment),
    access,
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The question in a URL, if it is complete. */
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
