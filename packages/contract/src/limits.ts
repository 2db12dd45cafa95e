/**
 * Every bound of the API. A refusal names its bound, and the documentation lists them all. A bound without a spec section is
 * our decision.
 */

/** Shortest lifetime of a new token. Spec 4.2, 8. Inclusive. */
export const EXPIRATION_MS_MIN = 60_000
/** Longest lifetime of a new token. Spec 4.2, 8. Inclusive. */
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
/** Most links or identities of one kind on a token or role. */
export const LINKS_MAX = 1_000
/** Longest rules of a policy or legacy token, in bytes of UTF-8. */
export const RULES_BYTES_MAX = 524_288
/** Longest secret, in characters. Only legacy tokens have secrets that are not UUIDs. */
export const LEGACY_SECRET_LENGTH_MAX = 512

/** Largest request body, in bytes. */
export const BODY_BYTES_MAX = 1_048_576
/** Largest request body of a caller without a valid token, in bytes. Does not apply to keys. */
export const ANONYMOUS_BODY_BYTES_MAX = 16_384
/** Most JSON values in the body of who-can, lint and what-if. An object counts as four. */
export const QUESTION_VALUES_MAX = 4_096
/** Largest value of a key, in bytes. */
export const KV_VALUE_BYTES_MAX = 524_288
/** Longest key, in bytes of UTF-8. */
export const KV_KEY_BYTES_MAX = 2_048
/** Deepest nesting of a JSON body. */
export const JSON_DEPTH_MAX = 32
/** Most fields of one object of a JSON body. */
export const JSON_FIELDS_MAX = 1_000
/** Most values in a JSON body. An object counts as four; the largest possible token has 121,000. */
export const JSON_VALUES_MAX = 131_072

/** Most rules of one token in all, in bytes: its own, those of its roles and of its namespace. */
export const RULES_OF_TOKEN_BYTES_MAX = 4_194_304
/** Most findings of one lint. */
export const LINT_FINDINGS_MAX = 1_000

/** Most checks in one authorize call. */
export const AUTHORIZE_CHECKS_MAX = 64
/** Longest segment of a check, in bytes of UTF-8. */
export const SEGMENT_BYTES_MAX = 8_192

/** Most checks of one what-if: about five for each rule that differs. */
export const WHAT_IF_QUESTIONS_MAX = 10_000

/** Default wait of a blocking query. Decisions: blocking queries. */
export const WAIT_MS_DEFAULT = 300_000
/** Longest wait of a blocking query, before the random addition. */
export const WAIT_MS_MAX = 600_000
/** The random addition to a wait is at most the wait divided by this. */
export const WAIT_JITTER_DIVISOR = 16

/** Most records of one page, and the size of a page with a cursor but no `limit`. */
export const PAGE_LIMIT_MAX = 1_000
/** Longest `filter` of a list, in bytes. */
export const FILTER_BYTES_MAX = 1_024
/** Most comparisons in a `filter`. */
export const FILTER_TERMS_MAX = 5
/** Longest path and query together, in characters. */
export const URL_LENGTH_MAX = 8_192
/** Largest dump that one import takes, in bytes. */
export const LEGACY_IMPORT_BYTES_MAX = 268_435_456

/** Most pipelined requests of one connection that may wait; the server then stops reading from it. */
export const PIPELINED_AHEAD_MAX = 16
/** Most pipelined requests that a process starts in one turn of its event loop. */
export const PIPELINED_STARTS_PER_TURN_MAX = 16
/** How long a client may leave an answer unread before the server closes its connection. */
export const READER_STALL_MS_MAX = 30_000
/**
 * Most bytes of longer request bodies that a process holds at a time, of writes and of questions (`POST`) each. The next
 * one waits. Bodies of up to `ANONYMOUS_BODY_BYTES_MAX` are not counted.
 */
export const BODIES_BYTES_MAX = 4_194_304
/** How long a body may wait for that room before it is refused, and how long one that has it may take to arrive while others wait. */
export const BODY_WAIT_MS_MAX = 3_000
/** Most bytes of answers that a process holds for clients that have not read them. Beyond it, further long texts of keys wait, and connections that leave theirs unread are closed; at twice as much, at once. */
export const UNREAD_ANSWERS_BYTES_MAX = 16_777_216
