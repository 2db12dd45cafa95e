/** Metadata of services. The same rules apply to registrations by agents and in the catalog. Decisions: agent. */

const PAIRS_MAX = 64
const KEY_LENGTH_MAX = 128
const VALUE_LENGTH_MAX = 512
const RESERVED_PREFIX = 'consul-'
const KEY = /^[A-Za-z0-9_-]+$/

/** The error in the metadata of a service, in the words of existing services; `undefined` if it is valid. */
export function findMetaProblem(meta: Readonly<Record<string, string>>): string | undefined {
  const pairs = Object.entries(meta)
  if (pairs.length > PAIRS_MAX) return `Node metadata cannot contain more than ${PAIRS_MAX} key/value pairs`
  for (const [key, value] of pairs) {
    const problem = findPairProblem(key, value)
    if (problem !== undefined) return `Couldn't load metadata pair ('${key}', '${value}'): ${problem}`
  }
  return undefined
}

function findPairProblem(key: string, value: string): string | undefined {
  if (key === '') return 'Key cannot be blank'
  if (!KEY.test(key)) return 'Key contains invalid characters'
  if (key.length > KEY_LENGTH_MAX) return `Key is too long (limit: ${KEY_LENGTH_MAX} characters)`
  if (key.startsWith(RESERVED_PREFIX)) return `Key prefix '${RESERVED_PREFIX}' is reserved for internal use`
  if (value.length > VALUE_LENGTH_MAX) return `Value is too long (limit: ${VALUE_LENGTH_MAX} characters)`
  return undefined
}
