/** The contract as a flat table by name, and the types of bodies, queries and answers. */
import type * as z from 'zod'
import { type Contract, contract, type ResourceName } from './contract.ts'
import type { Method } from './endpoint.ts'
import type { AclErrorCode } from './errors.ts'
import type { RouteMetadata } from './metadata.ts'
import { codesOf } from './refusals/implied.ts'
import type { Refusal } from './refusals/problem.ts'
import type { ContractRoute } from './route.ts'

/** The name of a route, as `tokens.create`. */
export type RouteName = {
  [R in ResourceName]: `${R}.${keyof Contract[R] & string}`
}[ResourceName]

/** The route with this name. */
export type RouteOf<N extends RouteName> = N extends `${infer R extends ResourceName}.${infer K}`
  ? K extends keyof Contract[R]
    ? Contract[R][K]
    : never
  : never

/** The names of the routes that have a body. */
export type RouteWithBody = {
  [N in RouteName]: RouteOf<N> extends { readonly body: z.ZodType } ? N : never
}[RouteName]

type BodySchemaOf<R> = R extends { readonly body: infer S extends z.ZodType } ? S : undefined
type ParamsOf<Path> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${string}`
    ? Name
    : Rest
  : never

/** The decoded body of a route; `undefined` if it has none. */
export type Body<N extends RouteName> =
  BodySchemaOf<RouteOf<N>> extends infer S extends z.ZodType ? z.output<S> : undefined

/** The body of a route as a caller writes it; `undefined` if it has none. */
export type BodyInput<N extends RouteName> =
  BodySchemaOf<RouteOf<N>> extends infer S extends z.ZodType ? z.input<S> : undefined

/** The decoded query of a route. */
export type Query<N extends RouteName> = z.output<RouteOf<N>['query']>

/** The query of a route as a caller writes it. */
export type QueryInput<N extends RouteName> = z.input<RouteOf<N>['query']>

/** The path parameters of a route. */
export type Params<N extends RouteName> = Readonly<Record<ParamsOf<RouteOf<N>['path']>, string>>

/** The 200 answer of a route. */
export type Answer<N extends RouteName> = z.output<RouteOf<N>['responses'][200]>

/** An answer as JSON: an optional field is present or absent, never `undefined`. */
type Exact<T> = T extends readonly (infer E)[]
  ? Exact<E>[]
  : T extends object
    ? { [K in keyof T]: Exact<object extends Pick<T, K> ? Exclude<T[K], undefined> : T[K]> }
    : T

/** A body as a caller may write it: with readonly lists, and without unoffered fields. */
type Offered<T> = T extends readonly (infer E)[]
  ? readonly Offered<E>[]
  : T extends object
    ? { [K in keyof T as [T[K]] extends [undefined] ? never : K]: Offered<T[K]> }
    : T

/** {@link BodyInput} for client types: with readonly lists, and without unoffered fields. */
export type Sent<N extends RouteWithBody> = Offered<BodyInput<N>>

/** {@link Answer} for client types: an optional field is absent, never `undefined`. */
export type Answered<N extends RouteName> = Exact<Answer<N>>

/** The codes with which a route may refuse. */
export type RefusalCode<N extends RouteName> = {
  [S in keyof RouteOf<N>['responses']]: RouteOf<N>['responses'][S] extends z.ZodType<Refusal<infer C>>
    ? S extends 200
      ? never
      : C
    : never
}[keyof RouteOf<N>['responses']]

/** A route of any name, as the pipeline uses it. */
export interface AnyRoute extends RouteMetadata {
  readonly name: RouteName
  readonly resource: ResourceName
  readonly method: Method
  /** With `/v1`. `:Name` matches one segment, or the whole rest at the end of the path. */
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly schemas: {
    /** Absent: no body. */
    readonly body?: z.ZodType | undefined
    readonly query: z.ZodObject
    readonly params?: z.ZodObject | undefined
    readonly answer: z.ZodType
  }
  /** Every code with which the route may refuse, in the order of the error table. */
  readonly refusals: readonly AclErrorCode[]
}

/** A row of {@link ROUTES}, with its own schemas. */
export interface Route<N extends RouteName> extends AnyRoute {
  readonly name: N
  readonly method: RouteOf<N>['method']
  readonly path: RouteOf<N>['path']
  readonly schemas: {
    readonly body: BodySchemaOf<RouteOf<N>>
    readonly query: RouteOf<N>['query']
    readonly answer: RouteOf<N>['responses'][200]
  }
}

function flatten(): readonly AnyRoute[] {
  return Object.entries(contract).flatMap(([resource, router]) =>
    Object.entries<ContractRoute>(router).map(([operation, route]) => {
      const { method, path, summary, description, query, pathParams, responses, metadata } = route
      const body = 'body' in route ? route.body : undefined
      return {
        // Both come from the contract's own keys.
        name: `${resource}.${operation}` as RouteName,
        resource: resource as ResourceName,
        // The contract's types do not allow PATCH.
        method: method as Method,
        path,
        summary,
        description,
        ...metadata,
        schemas: {
          body: isSchema(body) ? body : undefined,
          query,
          params: isSchema(pathParams) ? (pathParams as z.ZodObject) : undefined,
          answer: responses[200],
        },
        refusals: codesOf(metadata),
      }
    }),
  )
}

/** ts-rest represents a missing body as a symbol. */
function isSchema(value: unknown): value is z.ZodType {
  return typeof value === 'object' && value !== null && 'safeParse' in value
}

/** Every route, in the order of the contract. */
export const ROUTE_LIST: readonly AnyRoute[] = flatten()

/** Every route by name. */
export const ROUTES = Object.fromEntries(ROUTE_LIST.map((route) => [route.name, route])) as unknown as {
  readonly [N in RouteName]: Route<N>
}

/** Returns a route by its name, as the general type. */
export function routeOf(name: RouteName): AnyRoute {
  return ROUTES[name]
}
