/**
 * Every limit of the API. A refusal names its limit, and the documentation lists them all. A limit without a spec
 * section is our decision.
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
// The worst text, tiny attributes in one block, takes at most 53 ms of processor time to compile; one of 256 KiB 77 to 137 ms.
/** Longest rules of a policy or legacy token, in bytes of UTF-8. Every such text compiles within 100 ms. */
export const RULES_BYTES_MAX = 131_072
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
/** Most operations of one transaction. */
export const TRANSACTION_OPERATIONS_MAX = 64
/** Largest body of a transaction, in bytes. */
export const TRANSACTION_BYTES_MAX = 524_288
/** Most keys that one transaction shows with their values. A key counts each time it is shown. */
export const TRANSACTION_TREE_KEYS_MAX = 10_000
/** Most bytes that one transaction shows, in keys and values and in nodes, services and checks. */
export const TRANSACTION_READ_BYTES_MAX = 4_194_304
/**
 * Most bytes that one answer repeats, such as a node that it shows with each of its services. What it shows once does not
 * count.
 */
export const REPEATED_BYTES_MAX = 16_777_216
/** Maximum nesting depth of a JSON body. */
export const JSON_DEPTH_MAX = 32
/** Most fields of one object in a JSON body. */
export const JSON_FIELDS_MAX = 1_000
/** Most values in a JSON body. An object counts as four; the largest possible token has 121,000. */
export const JSON_VALUES_MAX = 131_072

/** Largest total of all rules that apply to one token, in bytes. */
export const RULES_OF_TOKEN_BYTES_MAX = 4_194_304
/** Most findings of one lint. */
export const LINT_FINDINGS_MAX = 1_000

/** Most checks in one authorize call. */
export const AUTHORIZE_CHECKS_MAX = 64
/** Longest segment of a check, in bytes of UTF-8. */
export const SEGMENT_BYTES_MAX = 8_192
/** Longest segment that an explanation shows, in characters. A longer segment is truncated and ends in `…`. */
export const EXPLAINED_SEGMENT_LENGTH_MAX = 256

/** Most checks in one what-if, which needs about five per changed rule. */
export const WHAT_IF_QUESTIONS_MAX = 10_000

/** Default wait of a blocking query. Decisions: blocking queries. */
export const WAIT_MS_DEFAULT = 300_000
/** Longest wait of a blocking query, excluding jitter. */
export const WAIT_MS_MAX = 600_000
/** The jitter added to a wait is at most the wait divided by this. */
export const WAIT_JITTER_DIVISOR = 16

/** Most records in one page, and the size of a page with `cursor` but without `limit`. */
export const PAGE_LIMIT_MAX = 1_000
/** Longest `filter` of the list of tokens, in bytes. */
export const FILTER_BYTES_MAX = 1_024
/** Most comparisons in a `filter` of the list of tokens. */
export const FILTER_TERMS_MAX = 5
/** Largest total of the regular expressions in a `filter` of other lists, in instructions: `x{9}` has nine. */
export const FILTER_PATTERN_STEPS_MAX = 500
/** Longest path and query together, in characters. */
export const URL_LENGTH_MAX = 8_192
/** Largest dump that one import accepts, in bytes. */
export const LEGACY_IMPORT_BYTES_MAX = 268_435_456

/** Most pipelined requests that may wait on one connection before the server stops reading from it. */
export const PIPELINED_AHEAD_MAX = 16
/** Most pipelined requests that a process starts in one turn of its event loop. */
export const PIPELINED_STARTS_PER_TURN_MAX = 16
/** How long a client may leave an answer unread before the server closes its connection. */
export const READER_STALL_MS_MAX = 30_000
/**
 * Most bytes of long request bodies that a process buffers at a time, separately for writes and for other requests
 * (`POST`). One client address gets at most three quarters, and one token half. Above the limit, the next body waits. Bodies of up to `ANONYMOUS_BODY_BYTES_MAX` are not counted.
 */
export const BODIES_BYTES_MAX = 4_194_304
/** How long a body may wait for buffer space, and how long it may then take to arrive while others wait. */
export const BODY_WAIT_MS_MAX = 3_000
/**
 * Most bytes of unread answers that a process buffers. Above the limit, further long answers with key values wait, and
 * connections with unread answers are closed after a second; above twice the limit, they are closed at once.
 */
export const UNREAD_ANSWERS_BYTES_MAX = 16_777_216

/** Longest name of an auth method, in characters. */
export const AUTH_METHOD_NAME_LENGTH_MAX = 128
/** Longest URL, name or other short text in the configuration of an auth method, in bytes of UTF-8. */
export const AUTH_METHOD_TEXT_BYTES_MAX = 2_048
/** Longest certificate, key or reviewer token in the configuration of an auth method, in bytes. */
export const AUTH_METHOD_PEM_BYTES_MAX = 16_384
/** Most keys, audiences, algorithms, scopes, redirect URIs or mapped claims of an auth method, of each kind. */
export const AUTH_METHOD_ENTRIES_MAX = 64
/** Most static keys of an auth method, and most keys of a key set to try for one login. */
export const AUTH_METHOD_KEYS_MAX = 16
/** Most namespace rules of an auth method. */
export const NAMESPACE_RULES_MAX = 100
/** Longest selector, and longest `filter` of lists other than the list of tokens, in bytes of UTF-8. */
export const SELECTOR_BYTES_MAX = 4_096
/** Most comparisons in a selector or such a `filter`. */
export const SELECTOR_TERMS_MAX = 64
/** Deepest nesting of `not` and parentheses in a selector or such a `filter`. */
export const SELECTOR_DEPTH_MAX = 32
/** Largest regular expression in a selector, in instructions: `x{9}` has nine. */
export const SELECTOR_PATTERN_STEPS_MAX = 2_000
/** Longest bind name, in bytes of UTF-8. */
export const BIND_NAME_BYTES_MAX = 1_024
/** Most binding rules of one auth method. */
export const BINDING_RULES_MAX = 256
/** Longest bearer token of a login, in bytes. */
export const BEARER_BYTES_MAX = 32_768
/** Most entries of the `Meta` of a login. */
export const LOGIN_META_ENTRIES_MAX = 64
/** Most pending browser logins of one auth method. */
export const OPEN_LOGINS_MAX = 10_000
/** Highest limit of live tokens that an auth method can set, because each login counts them. */
export const LIVE_TOKENS_MAX = 10_000
/** Longest `Meta` of a login, as JSON in the description of its token, in bytes. */
export const LOGIN_META_BYTES_MAX = 2_048

/** Largest registration of a node, service and checks, in bytes. */
export const REGISTRATION_BYTES_MAX = 524_288
/** Longest name or id of a node, service or check, in bytes of UTF-8. */
export const CATALOG_NAME_BYTES_MAX = 512
/** Longest address, tag, note, or metadata of a node, in bytes of UTF-8. */
export const CATALOG_TEXT_BYTES_MAX = 4_096
/** Longest output of a check, and largest OutputMaxSize, in bytes of UTF-8. */
export const CHECK_OUTPUT_BYTES_MAX = 65_536
/** Dimensions of a network coordinate. */
export const COORDINATE_DIMENSIONS_MAX = 8
/** Most tags of a service. */
export const SERVICE_TAGS_MAX = 1_000
/** Most checks in one registration, besides `Check`. */
export const CHECKS_MAX = 1_000
/** Longest stored output of a check without OutputMaxSize, in bytes of UTF-8. */
export const CHECK_OUTPUT_BYTES_DEFAULT = 4_096
/** Shortest interval of an HTTP or TCP check; a shorter interval is raised to it. */
export const CHECK_INTERVAL_MS_MIN = 1_000
/** Time limit for one run of an HTTP or TCP check without Timeout. */
export const CHECK_TIMEOUT_MS_DEFAULT = 10_000
/** Longest Timeout of a check. */
export const CHECK_TIMEOUT_MS_MAX = 600_000
/** Shortest DeregisterCriticalServiceAfter; a shorter value is raised to it. */
export const DEREGISTER_AFTER_MS_MIN = 60_000
/** Most checks in one service definition. */
export const SERVICE_CHECKS_MAX = 64
/** Most concurrent runs of HTTP and TCP checks in one process, of which a service or token gets a part. Further runs wait. */
export const CHECK_RUNS_MAX = 64
/** Longest name of a service in an intention, in characters. */
export const INTENTION_NAME_LENGTH_MAX = 256
/** Longest description of an intention, in bytes of UTF-8. */
export const INTENTION_DESCRIPTION_BYTES_MAX = 512
/** Most entries of the `Meta` of an intention or config entry. */
export const INTENTION_META_ENTRIES_MAX = 64
/** Longest key of such a `Meta`, in bytes of UTF-8. */
export const INTENTION_META_KEY_BYTES_MAX = 128
/** Longest value of such a `Meta`, in bytes of UTF-8. */
export const INTENTION_META_VALUE_BYTES_MAX = 512
/** Longest path, pattern or value of a header in a permission, in bytes of UTF-8. */
export const PERMISSION_TEXT_BYTES_MAX = 1_024
/** Most permissions of one source, and most headers and methods of one permission. */
export const PERMISSIONS_MAX = 64
/** Most names in one `match`. */
export const MATCH_NAMES_MAX = 64
/** Most network areas of one datacenter. */
export const AREAS_MAX = 64
/** Most addresses of one network area. */
export const AREA_ADDRESSES_MAX = 64
/** Longest address in a network area, in characters. */
export const AREA_ADDRESS_LENGTH_MAX = 256
