export { EXAMPLES } from './generated/examples.ts'
export { buildOpenApi, type OpenApiOptions } from './openapi/build.ts'
export type {
  Gate,
  JsonSchema,
  MediaType,
  OpenApiDocument,
  Operation,
  Parameter,
} from './openapi/document.ts'
