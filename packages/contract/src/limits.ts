/**
 * Every bound of the API, by name. A refusal says the bound; the docs list them from here.
 * Where no spec section is named, the bound is our decision: whatever travels is bounded.
 */

/** Shortest lifetime that may be asked for on create. Spec 4.2, 8. Inclusive. */
export const EXPIRATION_MS_MIN = 60_000
/** Longest lifetime that may be asked for on create. Spec 4.2, 8. Inclusive. */
export const EXPIRATION_MS_MAX = 86_400_000

/** Longest service or node name, in characters. Spec 2.4, 2.5. */
export const IDENTITY_NAME_LENGTH_MAX = 256
/** Longest policy name, in characters. */
export const POLICY_NAME_LENGTH_MAX = 128
/** Longest role name, in characters. */
export const ROLE_NAME_LENGTH_MAX = 256
/** Longest namespace name, in characters. */
export const NAMESPACE_NAME_LENGTH_MAX = 64
/** Longest datacenter name, in characters. */
export const DATACENTER_NAME_LENGTH_MAX = 64
/** Most datacenters in one list. */
export const DATACENTERS_MAX = 100

/** Longest description, in bytes of UTF-8. */
export const DESCRIPTION_BYTES_MAX = 4_096
/** Most links, or identities, of one kind on a token or role. */
export const LINKS_MAX = 1_000
/** Longest rule text of a policy or legacy token, in bytes of UTF-8. */
export const RULES_BYTES_MAX = 524_288
/** Longest secret that a legacy token may have, in characters. All others are UUIDs, so no secret is longer. */
export const LEGACY_SECRET_LENGTH_MAX = 512

/** Largest request body, in bytes. */
export const BODY_BYTES_MAX = 1_048_576
/** Largest request body of a caller without a valid token, in bytes, where an endpoint takes one. Keys aside. */
export const ANONYMOUS_BODY_BYTES_MAX = 16_384
/** Most JSON values in the body of who-can, lint and what-if, of which an object counts as four. */
export const QUESTION_VALUES_MAX = 4_096
/** Largest value of a key, in bytes. */
export const KV_VALUE_BYTES_MAX = 524_288
/** Longest key, in bytes of UTF-8. */
export const KV_KEY_BYTES_MAX = 2_048
/** Deepest nesting of a JSON body. */
export const JSON_DEPTH_MAX = 32
/** Most fields of one object of a JSON body. */
export const JSON_FIELDS_MAX = 1_000
/** Most values in a JSON body, of which an object counts as four. The fullest token has 121,000. */
export const JSON_VALUES_MAX = 131_072

/** Longest rule texts of one token together, in bytes: its own, those of its roles and of its namespace. */
export const RULES_OF_TOKEN_BYTES_MAX = 4_194_304
/** Most findings that one lint lists. */
export const LINT_FINDINGS_MAX = 1_000

/** Most checks in one authorize call. */
export const AUTHORIZE_CHECKS_MAX = 64
/** Longest segment that a check may name, in bytes of UTF-8. */
export const SEGMENT_BYTES_MAX = 8_192

/** Most questions that one what-if may come down to: about five for each rule that differs. */
export const WHAT_IF_QUESTIONS_MAX = 10_000

/** How long a blocking query waits where it does not say. Decisions: blocking queries. */
export const WAIT_MS_DEFAULT = 300_000
/** Longest wait of a blocking query, before the random part. */
export const WAIT_MS_MAX = 600_000
/** The random part added to a wait is at most wait / this. */
export const WAIT_JITTER_DIVISOR = 16

/** Most records of one page of a paged list, and the size where `limit` is absent but a cursor is given. */
export const PAGE_LIMIT_MAX = 1_000
/** Longest `filter` of a list, in bytes. */
export const FILTER_BYTES_MAX = 1_024
/** Most comparisons in a `filter`. */
export const FILTER_TERMS_MAX = 5
/** Longest path with query, in characters. */
export const URL_LENGTH_MAX = 8_192
/** Largest dump of legacy tokens that one import takes, in bytes. */
export const LEGACY_IMPORT_BYTES_MAX = 268_435_456

/** Most requests that may wait on a connection for the answers before them; the server then reads no further ahead. */
export const PIPELINED_AHEAD_MAX = 16
/** Most waiting requests that the server starts in one turn of its event loop, over all connections of a process. */
export const PIPELINED_STARTS_PER_TURN_MAX = 16
/** How long a client may leave an answer unread before its connection is closed. */
export const READER_STALL_MS_MAX = 30_000
/**
 * Most bytes of longer request bodies that a process holds at a time, of writes and of questions (`POST`) each. The next
 * one waits. Bodies of up to `ANONYMOUS_BODY_BYTES_MAX` are not counted.
 */
export const BODIES_BYTES_MAX = 4_194_304
/** How long a body may wait for that room before it is refused, and how long one that has it may take to arrive while others wait. */
export const BODY_WAIT_MS_MAX = 3_000
/** Most bytes of answers that a process holds for clients that have not read them. Beyond it, it closes the connection that has left its answer unread for longest. */
export const UNREAD_ANSWERS_BYTES_MAX = 33_554_432
