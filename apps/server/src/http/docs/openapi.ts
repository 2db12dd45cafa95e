import { HEADER_PREFIX_DEFAULT, type ServiceProfile } from '@latchkey/contract'
import { buildOpenApi, type OpenApiDocument } from '@latchkey/contract/openapi'
import type { Config } from '../../config/config.ts'

/** The OpenAPI document of this server, as configured. */
export function openApiOf(config: Config, profile: ServiceProfile): OpenApiDocument {
  const headerPrefix = config.headerPrefixes[0] ?? HEADER_PREFIX_DEFAULT
  return buildOpenApi({ profile, headerPrefix, edition: config.edition })
}
