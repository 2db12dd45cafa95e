/** Facts about an endpoint without its schemas. */
import type { GateName } from './gates.ts'

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE'

/**
 * What a caller needs. `none`: no right. `self`: a valid secret. `acl:read`, `acl:write` and `operator:*`: that right.
 * `agent:read`, `agent:write`: that right on this node. `key`, `intention`: the handler decides for each key or
 * intention. `catalog`: the handler decides for each node, service and check. `transaction`: the handler decides for
 * each operation. `session`: for each node of a session.
 */
export type Right =
  | 'none'
  | 'self'
  | 'acl:read'
  | 'acl:write'
  | 'operator:read'
  | 'operator:write'
  | 'agent:read'
  | 'agent:write'
  | 'key'
  | 'catalog'
  | 'intention'
  | 'transaction'
  | 'session'

/**
 * The table whose highest index an answer reports. `changes`: all tables with records that datacenters share.
 * `catalog`: the tables of nodes, services and checks; an answer reports the index of one of them.
 */
export type IndexedTable =
  | 'changes'
  | 'catalog'
  | 'coordinates'
  | 'tokens'
  | 'policies'
  | 'roles'
  | 'namespaces'
  | 'authMethods'
  | 'bindingRules'
  | 'kv'
  | 'intentions'
  | 'sessions'
  | 'system'

/** Facts about an endpoint other than its address and its schemas. */
export interface EndpointFacts {
  readonly right: Right
  /** The endpoint exists from the version that opens this gate until the version that closes it. */
  readonly gate?: GateName
  /** Before this gate opens, any method reaches the endpoint. Spec 9.4. */
  readonly methodGate?: 'http.enforceMethods'
  /** The equivalent in the token API, which the refusal names once `gate` has closed. Spec 9.1. */
  readonly replacement?: string
  /** Derived from the path. Part of the ACL system: answers 401 if ACLs are switched off. */
  readonly acl?: true
  /** One of the new ACL APIs: refused in legacy mode before authentication. Spec 9.2.1. */
  readonly refusedInLegacyMode?: true
  /** Namespaced in the extended edition: accepts `ns` and the namespace header. Spec 4.9. */
  readonly namespaced?: true
  /** Exists only in the extended edition. Spec 4.9. */
  readonly edition?: 'extended'
  /** Answered from memory: anonymous callers cannot cause load on the database. */
  readonly local?: true
  /** Set for a blocking query with consistency modes (spec 4.1): the table whose highest index it reports. */
  readonly blocking?: IndexedTable
  /**
   * How the body is read: `json` against its schema, `text` as UTF-8, `raw` by the handler, `stream` by the
   * handler piece by piece. Absent: no body.
   */
  readonly body?: 'json' | 'text' | 'raw' | 'stream'
  /** A missing body is read as empty. */
  readonly bodyOptional?: true
  /** Largest body, in bytes. Absent: `BODY_BYTES_MAX`. */
  readonly bodyBytesMax?: number
  /** GET does the same, with the same body. Spec 9.1. */
  readonly alsoGet?: true
  /** What the path identifies, for messages such as `Missing token AccessorID`. Default: the name of the parameter. */
  readonly subject?: string
  /** The path parameter may be empty: all keys, or a create on the path of an update. */
  readonly mayBeEmpty?: true
}

/** The kind of JSON of a 200 answer. */
export type AnswerKind = 'object' | 'array' | 'string' | 'boolean'

export interface Endpoint extends EndpointFacts {
  readonly method: Method
  /** Under `/v1`. `:Name` matches one segment, or the whole rest at the end of the path. */
  readonly path: string
  /** Lets clients detect, without a schema, an answer that is not from this API. */
  readonly answer: AnswerKind
  /** The answer to a conditional write may be a boolean instead. */
  readonly mayBeBoolean?: true
  /** The answer may be null instead. */
  readonly mayBeNull?: true
  /** Query options other than those that all endpoints of its kind share. */
  readonly query?: readonly string[]
}

/** What a client needs of an endpoint. */
export type ClientEndpoint = Pick<
  Endpoint,
  'method' | 'path' | 'namespaced' | 'blocking' | 'answer' | 'mayBeBoolean' | 'mayBeNull' | 'query'
>
