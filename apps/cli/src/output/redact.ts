/** Hides secrets in answers. Secrets are printed only with `--show-secret`. */

/** Placeholder for a secret, the same as in answers of the service. */
const HIDDEN = '<hidden>'

const SECRET_FIELDS: ReadonlySet<string> = new Set(['SecretID', 'OIDCClientSecret', 'ServiceAccountJWT'])

/** A copy without secrets. Empty secrets remain empty. */
export function redact<T>(value: T): T {
  return redacted(value) as T
}

function redacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redacted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const secret = entries.find(([name]) => name === 'SecretID')?.[1]
  return Object.fromEntries(
    entries.map(([name, field]) => {
      // A bootstrap token repeats its secret as ID, for older clients.
      const isSecret = SECRET_FIELDS.has(name) || (name === 'ID' && field === secret)
      return [name, isSecret && field !== '' ? HIDDEN : redacted(field)]
    }),
  )
}
