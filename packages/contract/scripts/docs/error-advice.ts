/** What a caller can do about each error, for docs/errors.md. */
import type { AclErrorCode } from '../../src/errors.ts'

export const ERROR_ADVICE: Readonly<Record<AclErrorCode, string>> = {
  body_malformed:
    'Send exactly one JSON value in UTF-8, with each field once. The message names the line and column.',
  body_required: 'Send a JSON body, at least `{}`.',
  field_unknown: 'Correct the name. The message suggests the most likely field.',
  field_type:
    'Send the type that the message names. Typical mistakes are a value instead of a list, and quotes around numbers.',
  query_invalid: 'Correct the option that `field` names. `stale` and `consistent` exclude each other.',
  version_invalid:
    'Write a version as `major.minor` or `major.minor.patch`, from 0.7 to 1.11. In a range, put the older version first.',
  path_invalid: 'Percent-encode each part of the path once, without control characters.',
  header_invalid: 'Correct or omit the header that `field` names.',
  namespace_unsupported: 'Omit the namespace, or run the server with `LATCHKEY_EDITION=extended`.',
  datacenter_unknown: 'Omit `dc`, or use a name exactly as `GET /v1/catalog/datacenters` lists it.',
  id_missing: 'Add the identifier to the path.',
  id_invalid: 'Send a UUID: 36 characters, hexadecimal digits with dashes.',
  id_reserved:
    'Choose another UUID. Those that begin with `00000000-0000-0000-0000-0000000000` belong to the service.',
  accessor_mismatch: 'Omit the identifier from the body, or send the same one as in the path.',
  field_required: 'Add the field that `field` names.',
  field_invalid: 'Change the value as the message says.',
  field_too_long: 'Shorten the field to the limit that the message names.',
  field_immutable: 'Omit the field, or send its stored value. To use another value, create another record.',
  local_mismatch: 'Send the stored value of Local: an update of a local token must contain `"Local": true`.',
  name_invalid: 'Choose a name with the characters and the length that the message allows.',
  expiration_out_of_bounds:
    'Choose a lifetime from 1 minute to 24 hours. When cloning, choose a source token that does not expire too soon.',
  expiration_conflict: 'Send ExpirationTime or ExpirationTTL, not both.',
  link_unknown: 'Correct the link that `field` names, or first create its target in the same namespace.',
  selector_invalid:
    'Correct the selector or bind name at the line and column that the error names. A selector may use the names that the method maps.',
  filter_invalid:
    'Correct the filter at the line and column that the error names. It may use the fields of the listed records.',
  filter_conflict: 'Use one filter, and check the other property in the answer.',
  rules_invalid:
    'Correct the rules at the line and column that the message names. `POST /v1/acl/policy/lint` lists every error.',
  clone_refused: 'Create a token with the same links instead.',
  delete_refused:
    'Use another token to delete the token you present, and empty a namespace before you delete it. Built-in records cannot be deleted.',
  builtin_immutable:
    'Keep the rules and datacenters of the built-in policy, and create your own policy instead.',
  legacy_token_immutable:
    'Change this token through the token API: it has links, identities or an expiration.',
  legacy_rules_missing: 'Read the policies of the token instead.',
  batch_too_large:
    'Split the call into calls with at most 64 checks each. For what-if, change fewer rules at once.',
  snapshot_invalid: 'Restore another archive: the message says where this one is damaged.',
  bootstrap_reset_invalid: 'Write the reset index from the refused bootstrap call to the reset file.',
  session_unknown: 'Create another session: this one has ended or never existed.',
  check_critical: 'Retry once the check that the message names has recovered, or leave the check out.',
  session_incompatible: 'Upgrade all servers to 1.7.2 or later.',
  acl_disabled: 'For operators: enable ACLs. The server runs with `LATCHKEY_ACL_ENABLED=off`.',
  privilege_missing:
    'Present a token with the right that the message names, or grant the right to this token.',
  caller_unknown:
    'Present a valid secret. This one is wrong, its token was deleted or has expired, or it is a local token of another datacenter.',
  bootstrap_done:
    'Use an existing management token. If all are lost, write the reset index to the [reset file](api.md#bootstrap).',
  bootstrap_elsewhere:
    'Bootstrap the primary datacenter, which the message names. Its token is replicated to this datacenter.',
  root_name_refused:
    'Choose another secret: `allow`, `deny` and `manage` are reserved, and the anonymous token cannot be deleted.',
  legacy_mode: 'Wait for the upgrade step that the message names. Until then, use the legacy API.',
  auth_method_unknown:
    'Correct the name or the namespace of the auth method. `GET /v1/acl/auth-methods` lists them.',
  login_refused:
    'Get a new credential from the identity provider. The message says what is wrong with this one; `POST /v1/acl/auth-method/:Name/explain` shows what a login with given claims would get.',
  login_unbound: 'Add a binding rule that matches the login, or create the role that a binding rule names.',
  origin_foreign:
    'Write from a page with the same origin, or from a program. The operator can allow the origin with `LATCHKEY_CORS_ORIGINS`.',
  not_found: 'Search the list of records. The record was deleted, has expired, or is in another namespace.',
  endpoint_unknown:
    'Correct the path, which is case-sensitive and has no trailing slash. The service version may also lack the endpoint.',
  method_not_allowed: 'Use one of the methods in the `Allow` header.',
  answer_too_large:
    'Ask for less: one node or service, or a tag, instead of all. For operators: something large is stored once and shown many times, such as the checks of a node with many services.',
  transaction_too_large:
    'Split the transaction, or write its keys below one prefix and delete them as a tree.',
  request_timeout: 'Send the body faster, without pauses.',
  id_in_use:
    'Choose another id. If the answer to an earlier attempt was lost, read the record: that attempt may have created it.',
  name_in_use: 'Choose another name, or update the record that has this one.',
  token_replication_off:
    'Send the request to the primary datacenter, or use a global token. The operator can set `LATCHKEY_TOKEN_REPLICATION=on`.',
  replication_refused: 'For operators: the message says what to do first. See [datacenters](datacenters.md).',
  primary_superseded:
    'For operators: make the secondary that sent the request follow the new primary, and make this datacenter a secondary, too.',
  snapshot_refused:
    'For operators: start the server as the message says, with the keys, the datacenter and the service version of the archive; or restore an archive of an older version, which has no HMAC, with `?unauthenticated`. See [backup](operations.md#backup).',
  endpoint_removed: 'Use the endpoint that the message names.',
  body_too_large: 'Send a body of at most the size that the message names.',
  url_too_long: 'Shorten the path and query to the limit that the message names.',
  host_not_allowed:
    'Use a name or address of the server, or present a token on an endpoint that needs a right. The operator adds names with `LATCHKEY_ALLOWED_HOSTS`.',
  too_many_connections: 'Reuse connections. The operator can raise the limit.',
  too_many_live_tokens:
    'Log out tokens that are no longer needed. `GET /v1/acl/auth-method/:Name/logins` lists who has tokens; `IdleTTL` in the auth method ends unused ones.',
  too_many_logins:
    'Try again after the time in `Retry-After`. Reuse a token for its lifetime instead of logging in for each request.',
  internal: 'Try again later, and give the operator the request id: the log contains the cause.',
  endpoint_not_built: 'Use another service for this, or work without it.',
  provider_unavailable:
    'Try again after the time in `Retry-After`. The log says why the provider could not be reached.',
  copy_incomplete:
    'Keep the token, and try again after the time in `Retry-After`: this new secondary datacenter is still copying its primary.',
  datacenter_unreachable:
    'Try again after the time in `Retry-After`: nothing was sent, or the request was a read. Without `dc`, the local datacenter answers.',
  datacenter_silent:
    'Read the record in that datacenter before you try again: the write was sent, and its outcome is unknown.',
  intention_in_use: 'Update the intention that the message names, or choose another source or destination.',
  intention_edited:
    'Use `/v1/connect/intentions/exact` or `/v1/config`, or delete the config entry and create its intentions again.',
  intentions_migrating:
    'Repeat the write after `Retry-After`. `GET /v1/internal/intentions/migration` shows what the migration waits for.',
  database_full:
    'Nothing was written. Reads may work. The operator of the database frees space on its disk, and writes work again.',
  database_read_only:
    'Nothing was written. Reads may work. `DATABASE_URL` leads to a standby, or the database was made read-only: the operator points it to the primary, or allows writes again.',
  database_overloaded:
    'Try again after the time in `Retry-After`. The message says what the database ran out of: connections (raise `max_connections`, or start fewer processes), memory or open files.',
  database_refused:
    'The operator compares `DATABASE_URL` with the database: the message says whether it refuses the user or the password, lacks the database, denies access, or cannot be trusted. `latchkey-server doctor` finds more. Reads with `stale` may work.',
  database_damaged:
    'The operator reads the log of the database at once: its disk may fail. Reads with `stale` may work.',
  unavailable:
    'The message has the cause: the database cannot be reached, starts, stops or does not answer in time, or too many requests wait. Try again after the time in `Retry-After`. A write may have been applied if the connection to the database broke: read the record before you repeat one that must not run twice. Reads with `stale` may work.',
}
