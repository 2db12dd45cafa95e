import type { GateName } from '../gates.ts'

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE'

/**
 * What a caller needs. `none`: nothing. `self`: a valid secret. `acl:read`, `acl:write` and `operator:*`: that right.
 * `agent:read`, `agent:write`: that right on this node. `key`, `intention`: the handler decides for each key or intention. `catalog`: the handler decides for
 * each node, service and check. `transaction`: the handler decides for each operation. `session`: for each node of a session.
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
 * A table whose highest index answers report; `changes`: all tables whose records datacenters have in common; `catalog`: those of
 * nodes, services and checks, of which each answer reports one.
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

/** Facts about an endpoint besides its address and its schemas. */
export interface EndpointFacts {
  readonly right: Right
  /** The endpoint exists from the version that opened this gate, until the one that closed it. */
  readonly gate?: GateName
  /** Before this gate opens, any method reaches the endpoint. Spec 9.4. */
  readonly methodGate?: 'http.enforceMethods'
  /** The equivalent in the token API, which the refusal names once `gate` has closed. Spec 9.1. */
  readonly replacement?: string
  /** Part of the ACL system, which can be switched off (401). */
  readonly acl?: true
  /** One of the new ACL APIs: refused in legacy mode before authentication. Spec 9.2.1. */
  readonly refusedInLegacyMode?: true
  /** Namespaced in the extended edition: takes `ns` and the namespace header. Spec 4.9. */
  readonly namespaced?: true
  /** Exists in the extended edition alone. Spec 4.9. */
  readonly edition?: 'extended'
  /**
   * Answered from memory, without a query to the database, so that anonymous callers cannot load it.
   */
  readonly local?: true
  /** A blocking query with consistency modes (spec 4.1), and the table whose highest index it reports. */
  readonly blocking?: IndexedTable
  /**
   * How the body is read: `json` against its schema, `text` as UTF-8, `raw` by the handler, `stream` by the
   * handler piece by piece. Absent: no body.
   */
  readonly body?: 'json' | 'text' | 'raw' | 'stream'
  /** A missing body counts as empty. */
  readonly bodyOptional?: true
  /** Largest body, in bytes. Absent: `BODY_BYTES_MAX`. */
  readonly bodyBytesMax?: number
  /** GET does the same, with the same body. Spec 9.1. */
  readonly alsoGet?: true
  /** What the path names, for messages such as `Missing token AccessorID`. Absent: the name of the parameter. */
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
  /** Lets clients recognize a foreign answer without a schema. */
  readonly answer: AnswerKind
  /** The answer may be a boolean instead: to a conditional write. */
  readonly mayBeBoolean?: true
  /** The answer may be null instead. */
  readonly mayBeNull?: true
  /** Query options beyond those that endpoints of its kind share. */
  readonly query?: readonly string[]
}
