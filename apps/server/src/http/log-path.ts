import { decodePath, ENDPOINTS, matchPath, UNBUILT_ENDPOINTS, unbuiltEndpointOf } from '@latchkey/contract'

/** Maximum steps of an unknown path that a log line shows. */
const STEPS_MAX = 10

/** Every literal step of a path that this service serves or that clients may request from it. */
const KNOWN_STEPS: ReadonlySet<string> = new Set(
  [...Object.values(ENDPOINTS), ...UNBUILT_ENDPOINTS]
    .flatMap(({ path }) => path.split('/'))
    .filter((step) => !step.startsWith(':'))
    .concat('v1', 'livez', 'readyz', 'docs', 'ui', 'favicon.ico'),
)

/**
 * The path of a request as the log may show it: without its query, which may contain a token, and with the names of
 * parameters instead of their values, because the legacy API carries secrets in paths. An unknown path is reduced to
 * its known steps: a misspelled legacy path still contains a secret (LEAK-01).
 */
export function logPath(url: string): string {
  const queryAt = url.search(/[?#]/)
  const raw = queryAt < 0 ? url : url.slice(0, queryAt)
  try {
    const path = decodePath(raw)
    return templateOf(path) ?? withoutUnknownSteps(path)
  } catch {
    return '(not decodable)'
  }
}

function templateOf(path: string): string | undefined {
  if (!path.startsWith('/v1/')) return undefined
  const below = path.slice(3)
  const template =
    matchPath(below)?.form.byMethod.values().next().value?.endpoint.path ?? unbuiltEndpointOf(below)?.path
  return template === undefined ? undefined : `/v1${template}`
}

function withoutUnknownSteps(path: string): string {
  const steps = path.split('/')
  const shown = steps.slice(0, STEPS_MAX).map((step) => (KNOWN_STEPS.has(step) ? step : '*'))
  return shown.join('/') + (steps.length > STEPS_MAX ? '/…' : '')
}
