import { decodePath, matchPath, requiredMethodOf } from '@latchkey/contract'

/** Longest unknown path in a log line, in characters. */
const PATH_LENGTH_MAX = 200

/**
 * A request's path as it may be logged: without its query, which may hold a token, and with the names of parameters
 * for their values, as the legacy API carries secrets in paths. An unknown path is nobody's secret and is shown, cut.
 */
export function logPath(url: string): string {
  const queryAt = url.indexOf('?')
  const raw = queryAt < 0 ? url : url.slice(0, queryAt)
  if (!raw.startsWith('/v1/')) return raw.slice(0, PATH_LENGTH_MAX)
  try {
    const path = decodePath(raw.slice(3))
    const match = matchPath(path)
    const template = match?.form.byMethod.values().next().value?.endpoint.path ?? requiredMethodOf(path)?.path
    return template === undefined ? raw.slice(0, PATH_LENGTH_MAX) : `/v1${template}`
  } catch {
    return '/v1/(not decodable)'
  }
}
