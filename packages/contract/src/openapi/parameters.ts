/** Parameters of operations: path, query and headers. */
import * as z from 'zod'
import type { GateName } from '../gates.ts'
import { HEADER } from '../headers.ts'
import type { AnyRoute } from '../routes.ts'
import type { ServiceProfile } from '../versions/profile.ts'
import type { JsonSchema, Parameter } from './document.ts'

/** The JSON Schema of a query option. */
interface OptionSchema extends JsonSchema {
  readonly description: string
  readonly allowEmptyValue?: true
  readonly example?: string
  /** The default. zod omits `default` for transformed values. */
  readonly initially?: string
  readonly gate?: GateName
  readonly edition?: 'extended'
}

interface ParameterContext {
  readonly profile: ServiceProfile
  readonly headerPrefix: string
  readonly edition?: 'standard' | 'extended'
}

/** Parameters of one endpoint: path, query, and the namespace header after the option `ns`. */
export function parametersOf(route: AnyRoute, context: ParameterContext): readonly Parameter[] {
  const { profile, headerPrefix, edition } = context
  const options = optionsOf(route.schemas.query).filter(
    ([, option]) =>
      (option.edition === undefined || option.edition === edition) &&
      (option.gate === undefined || profile.has(option.gate)),
  )
  return [
    ...optionsOf(route.schemas.params).map(([name, option]) => ({
      name,
      in: 'path' as const,
      required: true as const,
      ...factsOf(option),
    })),
    ...options.flatMap(([name, option]) => {
      const facts = factsOf(option)
      const inQuery = { name, in: 'query' as const, ...facts }
      if (name !== 'ns') return [inQuery]
      return [inQuery, { name: `${headerPrefix}${HEADER.namespace}`, in: 'header' as const, ...facts }]
    }),
  ]
}

function optionsOf(schema: z.ZodObject | undefined): readonly (readonly [string, OptionSchema])[] {
  if (!schema) return []
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  // A test checks that every option has a description.
  return Object.entries(properties) as unknown as readonly (readonly [string, OptionSchema])[]
}

/** The parameter without its name and location. */
function factsOf(option: OptionSchema) {
  const {
    description,
    allowEmptyValue,
    example,
    deprecated,
    initially,
    gate: _,
    edition: __,
    ...form
  } = option
  return {
    description,
    schema: initially === undefined ? form : { ...form, default: initially },
    ...(deprecated ? { deprecated: true as const } : {}),
    ...(allowEmptyValue ? { allowEmptyValue } : {}),
    ...(example === undefined ? {} : { example }),
  }
}

/** Converts a path such as `/v1/acl/token/:AccessorID` to an OpenAPI template. */
export function templateOf(route: AnyRoute): string {
  return route.path.replace(/:(\w+)/g, '{$1}')
}
