/** A question, as represented in the URL. */
import { RESOURCE_KINDS } from '@latchkey/contract/plain'
import type { AuthorizeCheck } from '@latchkey/sdk'
import { texts } from '../texts.ts'

export type Kind = AuthorizeCheck['Resource']
export type Access = AuthorizeCheck['Access']

/** The kinds to choose from, the most frequent first. */
export const KINDS = Object.keys(texts.ask.kinds) as Kind[]

export function resourceOf(kind: Kind): { readonly isNamed: boolean; readonly accesses: readonly Access[] } {
  return RESOURCE_KINDS[kind]
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
  const found = {
    token: textOf(search.token),
    kind,
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
