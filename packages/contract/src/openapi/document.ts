/** The parts of OpenAPI 3.1 that we use, as types. */
import type { RouteName } from '../routes.ts'

/** A JSON Schema of draft 2020-12. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly format?: string
  readonly default?: unknown
  readonly deprecated?: boolean
  /** Maximum length in bytes of UTF-8, if the limit is not in characters. */
  readonly 'x-latchkey-bytes-max'?: number
}

export interface Example {
  readonly summary?: string
  readonly value: unknown
}

export interface MediaType {
  readonly schema: JsonSchema
  readonly examples?: Readonly<Record<string, Example | Reference>>
}

export interface Reference {
  readonly $ref: string
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  readonly required?: true
  readonly deprecated?: true
  /** Set for options that need no value: `?stale`. */
  readonly allowEmptyValue?: true
  readonly schema: JsonSchema
  readonly example?: string
}

export interface ResponseHeader {
  readonly description: string
  readonly schema: JsonSchema
}

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, ResponseHeader | Reference>>
  readonly content?: Readonly<Record<string, MediaType>>
  /** Codes of the error table that have this status. */
  readonly 'x-latchkey-errors'?: readonly string[]
}

/** The version gate of an operation. Spec 9. */
export interface Gate {
  readonly name: string
  readonly since?: string
  readonly until?: string
  readonly sentence: string
}

export interface Operation {
  readonly operationId: RouteName
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly deprecated?: true
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly description?: string
    readonly required: boolean
    readonly content: Readonly<Record<string, MediaType>>
  }
  readonly responses: Readonly<Record<string, Response>>
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  /** What the caller needs: a right, `self`, `key` (decided per key) or `none`. Spec 4.1. */
  readonly 'x-latchkey-right': string
  /** Section of the API reference, or `extension`. */
  readonly 'x-latchkey-spec': string
  readonly 'x-latchkey-gate'?: Gate
  /** A blocking query with consistency modes. Spec 4.1. */
  readonly 'x-latchkey-blocking'?: true
  readonly 'x-latchkey-refused-in-legacy-mode'?: true
}

export type HttpMethod = 'get' | 'put' | 'post' | 'delete'
export type PathItem = Readonly<Partial<Record<HttpMethod, Operation>>>

export interface SecurityScheme {
  readonly type: 'apiKey' | 'http'
  readonly in?: 'header' | 'query'
  readonly name?: string
  readonly scheme?: 'bearer'
  readonly description: string
}

/** A row of the error table. */
export interface ErrorRow {
  readonly code: string
  readonly status: number
  readonly title: string
  readonly source: string
}

export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: {
    readonly title: string
    readonly version: string
    readonly summary: string
    readonly description: string
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly jsonSchemaDialect: string
  readonly servers: readonly { readonly url: string; readonly description?: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly headers: Readonly<Record<string, ResponseHeader>>
    readonly examples: Readonly<Record<string, Example>>
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>
  }
  readonly 'x-latchkey-errors': readonly ErrorRow[]
}

/** The example of a request to an endpoint, and of its answers. */
export interface RecordedExample {
  /** With the values of path parameters and the query. */
  readonly path: string
  readonly body?: unknown
  /** By a short name, in display order. */
  readonly answers: Readonly<Record<string, Example>>
}
