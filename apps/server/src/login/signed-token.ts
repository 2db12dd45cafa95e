/** Reads tokens in the compact form of RFC 7515, strictly: forms on which libraries disagree are refused. */
import { type JsonObject, parseObject } from './foreign-json.ts'

/** A token whose signature is not verified yet. */
export interface SignedToken {
  readonly text: string
  readonly algorithm: string
  readonly kid: string | undefined
  readonly payload: Uint8Array
}

const COMPACT_FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Whether a text has three parts in base64url, none of them empty. */
export function hasCompactForm(text: string): boolean {
  return COMPACT_FORM.test(text)
}

/**
 * Reads a token without verifying it. Headers that name keys (`jku`, `jwk`, `x5u`, `x5c`) are ignored.
 *
 * @returns `undefined` if the text is not such a token, or requires an extension (`crit`, `b64`).
 */
export function readSignedToken(text: string): SignedToken | undefined {
  if (!hasCompactForm(text)) return undefined
  const [header, payload, signature] = text.split('.').map(decode)
  if (header === undefined || payload === undefined || signature === undefined) return undefined
  const fields = parseHeader(header)
  if (fields === undefined || fields.crit !== undefined || fields.b64 !== undefined) return undefined
  const { alg, kid } = fields
  if (typeof alg !== 'string' || (kid !== undefined && typeof kid !== 'string')) return undefined
  return { text, algorithm: alg, kid, payload }
}

/** Refuses all spellings except the canonical one, so that no token can be written in two ways. */
function decode(part: string): Uint8Array | undefined {
  const bytes = Buffer.from(part, 'base64url')
  return bytes.toString('base64url') === part ? bytes : undefined
}

function parseHeader(bytes: Uint8Array): JsonObject | undefined {
  try {
    return parseObject(bytes)
  } catch {
    return undefined
  }
}
