/** Builds the path of a request. Apart from the search for endpoints, which clients do not need. */
import { ENDPOINTS, type EndpointName } from '../generated/client-endpoints.ts'

/**
 * A slash at the start of a key or after another slash. It must be encoded, because servers redirect doubled slashes.
 */
const DOUBLING_SLASH = /(?<=^|\/)\//g

/** A lone surrogate, which no URL can contain. */
export const UNPAIRED_SURROGATE = /\p{Surrogate}/u

/** A parameter that no path can contain. */
export class PathParameterError extends TypeError {
  /** Name of the parameter, such as `Key`. */
  readonly parameter: string
  /** Whether it is absent or empty, as opposed to invalid. */
  readonly isMissing: boolean

  constructor(message: string, { parameter, isMissing }: { parameter: string; isMissing: boolean }) {
    super(message)
    this.parameter = parameter
    this.isMissing = isMissing
  }
}

/**
 * Fills the encoded parameters into an endpoint's path. No value can reach another endpoint. Slashes in a key stay
 * readable, except where they would be doubled.
 *
 * @throws PathParameterError if a parameter is missing, contains a lone surrogate, or is `.` or `..`, which URLs
 * resolve despite encoding.
 */
export function buildPath(name: EndpointName, params: Readonly<Record<string, string>> = {}): string {
  return ENDPOINTS[name].path.replace(/:(\w+)/g, (_, param: string) => {
    const value = params[param]
    if (value === undefined || value === '') {
      const message = `${name} needs the path parameter ${param}`
      throw new PathParameterError(message, { parameter: param, isMissing: true })
    }
    if (UNPAIRED_SURROGATE.test(value)) {
      const message = `${param} must not contain an unpaired surrogate`
      throw new PathParameterError(message, { parameter: param, isMissing: false })
    }
    const steps = param === 'Key' ? value.split('/') : [value]
    if (steps.some((step) => step === '.' || step === '..')) {
      const message = `${param} cannot hold the path step "." or ".."`
      throw new PathParameterError(message, { parameter: param, isMissing: false })
    }
    return steps.map(encodeURIComponent).join('/').replace(DOUBLING_SLASH, '%2F')
  })
}
