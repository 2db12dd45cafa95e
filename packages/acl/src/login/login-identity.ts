/** The identity of a login, by which the list of logins groups tokens. Decisions: login limits. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { digestOf } from '../blake2b.ts'
import type { Claims } from './verifier.ts'

/** Maximum length of an identity that is stored unchanged, in UTF-16 units. */
const LENGTH_MAX = 256
/** Length of the prefix that a longer identity keeps before its hash. */
const KEPT_LENGTH = 128

/**
 * The subject of verified claims, `sub`; empty if there is none. Kubernetes identifies an account as
 * `system:serviceaccount:namespace:name`. A longer subject is truncated and ends in its hash, so two subjects never
 * collide.
 */
export function loginIdentity(claims: Claims): string {
  const sub = Object.hasOwn(claims, 'sub') ? claims.sub : undefined
  if (typeof sub !== 'string') return ''
  const subject = sub.toWellFormed()
  if (subject.length <= LENGTH_MAX) return subject
  const hash = bytesToHex(digestOf(sub))
  return `${subject.slice(0, KEPT_LENGTH).toWellFormed()}…${hash}`
}
