/** An endpoint as plain data, with no schema and no library behind it. */
import type { GateName } from '../gates.ts'

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE'

/**
 * What a caller must hold. `none`: nothing. `self`: the presented secret alone. `acl:read`, `acl:write` and
 * `operator:*`: that right. `agent:read`: on this node. `key`: decided per key by the handler.
 */
export type Right =
  | 'none'
  | 'self'
  | 'acl:read'
  | 'acl:write'
  | 'operator:read'
  | 'operator:write'
  | 'agent:read'
  | 'key'

/** A table whose highest index an answer can carry. */
export type IndexedTable = 'tokens' | 'policies' | 'roles' | 'namespaces' | 'kv'

/** What server and clients must know of an endpoint besides its address and its schemas. */
export interface EndpointFacts {
  readonly right: Right
  /** The endpoint exists from the version that opened this gate, until the one that closed it. */
  readonly gate?: GateName
  /** Part of the ACL system, which can be switched off (401). */
  readonly acl?: true
  /** One of the new ACL APIs: refused in legacy mode before authentication. Spec 9.2.1. */
  readonly refusedInLegacyMode?: true
  /** Namespaced in the extended edition: takes `ns` and the namespace header. Spec 4.9. */
  readonly namespaced?: true
  /** Exists in the extended edition alone. Spec 4.9. */
  readonly edition?: 'extended'
  /**
   * Answered from what the process holds, whatever secret is presented: the database is not asked. For endpoints that
   * need no right, which anybody may call as often as the connection takes.
   */
  readonly local?: true
  /** A blocking query with consistency modes (spec 4.1), and the table whose highest index its answers carry. */
  readonly blocking?: IndexedTable
  /** How the body is read: `json` against its schema, `text` as UTF-8, `raw` by the handler. Absent: no body. */
  readonly body?: 'json' | 'text' | 'raw'
  /** No body at all is taken for an empty one. */
  readonly bodyOptional?: true
  /** Largest body, in bytes. Absent: `BODY_BYTES_MAX`. */
  readonly bodyBytesMax?: number
  /** GET does the same, with the same body. Spec 9.1. */
  readonly alsoGet?: true
  /** What the path names, in the words of the reference, for `Missing …`. Absent: the name of the parameter. */
  readonly subject?: string
  /** The path parameter may be empty: all keys, or a create on the path of an update. */
  readonly mayBeEmpty?: true
}

/** What JSON a 200 answer is. */
export type AnswerKind = 'object' | 'array' | 'string' | 'boolean'

export interface Endpoint extends EndpointFacts {
  readonly method: Method
  /** Under `/v1`. `:Name` takes one segment, or the whole rest where it ends the path. */
  readonly path: string
  /** Enough to tell a foreign answer from ours without carrying its schema. */
  readonly answer: AnswerKind
  /** Query options beyond those that endpoints of its kind share. */
  readonly query?: readonly string[]
}
