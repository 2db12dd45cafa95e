/** Keeps secrets out of printable values. The service redacts its own texts; a proxy may not. */
import { REDACTED_SECRET_ID } from '../contract.ts'

/**
 * Replaces every occurrence of the secrets: plain, JSON-escaped and URL-encoded.
 *
 * @param secrets the secrets of one call; empty ones are ignored.
 */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
    .sort((a, b) => b.length - a.length)
    .reduce((clean, form) => clean.replaceAll(form, REDACTED_SECRET_ID), text)
}

/**
 * A cause that is safe to print, with only name, message and code of the original. Errors of an injected
 * `fetch` may carry the whole request, headers included.
 */
export function safeCause(cause: unknown, secrets: readonly string[]): Error {
  const { name, message, code } = describe(cause)
  const safe = new Error(redact(message, secrets))
  safe.name = name
  delete safe.stack
  return code === undefined ? safe : Object.assign(safe, { code })
}

/** The code of a network failure. Node sets it on the cause of the error that `fetch` throws. */
export function networkCode(cause: unknown): string | undefined {
  return describe(cause).code
}

function describe(cause: unknown): { name: string; message: string; code?: string } {
  if (!(cause instanceof Error)) return { name: 'Error', message: 'a value that is not an Error was thrown' }
  const inner = cause.cause instanceof Error ? cause.cause : cause
  const code = 'code' in inner && typeof inner.code === 'string' ? inner.code : undefined
  const message = inner.message === '' ? cause.message : inner.message
  return code === undefined ? { name: inner.name, message } : { name: inner.name, message, code }
}
