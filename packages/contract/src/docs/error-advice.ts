/** What a caller can do about each error: one sentence for the page of errors. */
import type { AclErrorCode } from '../errors.ts'

export const ERROR_ADVICE: Readonly<Record<AclErrorCode, string>> = {
  body_malformed:
    'Send exactly one JSON value in UTF-8, with each field once. The text names line and column.',
  body_required: 'Send a JSON body, at least `{}`.',
  field_unknown: 'Correct the name. The text suggests the most likely field.',
  field_type: 'Send the type that the text names. Check for lists, and for quotes around numbers.',
  query_invalid: 'Correct the option that `field` names. `stale` and `consistent` exclude each other.',
  version_invalid:
    'Write a version as `major.minor` or `major.minor.patch`, from 0.7 to 1.11, the older one first.',
  path_invalid: 'Percent-encode each part of the path once, without control characters.',
  header_invalid: 'Correct or leave out the header that `field` names.',
  namespace_unsupported: 'Leave the namespace out, or run the server with `LATCHKEY_EDITION=extended`.',
  datacenter_unknown:
    'Leave `dc` out, or give the name that `GET /v1/catalog/datacenters` lists, letter for letter.',
  id_missing: 'Put the identifier into the path.',
  id_invalid: 'Send a UUID: 36 characters, hexadecimal digits with dashes.',
  id_reserved:
    'Choose another UUID. Those that begin with `00000000-0000-0000-0000-0000000000` belong to the service.',
  accessor_mismatch: 'Leave the identifier out of the body, or send the one from the path.',
  field_required: 'Add the field that `field` names.',
  field_invalid: 'Change the value as the text says.',
  field_too_long: 'Shorten the field to the bound that the text names.',
  field_immutable: 'Leave the field out, or send its stored value. For another value, create another record.',
  local_mismatch: 'Send the stored value of Local: the update of a local token must say `"Local": true`.',
  name_invalid: 'Choose a name with the characters and the length that the text allows.',
  expiration_out_of_bounds:
    'Choose a lifetime from 1 minute to 24 hours. To clone, choose a source that lives long enough.',
  expiration_conflict: 'Send ExpirationTime or ExpirationTTL, not both.',
  link_unknown: 'Correct the link that `field` names, or first create its target in the same namespace.',
  selector_invalid:
    'Mend the selector or bind name at the line and column that the error names. A selector may use the names that the method maps.',
  filter_invalid:
    'Mend the filter at the line and column that the error names. It may use the fields of the listed records.',
  filter_conflict: 'Use one filter, and check the other property in the answer.',
  rules_invalid:
    'Correct the rules at the line and column that the text names. `POST /v1/acl/policy/lint` lists every fault.',
  clone_refused: 'Create a token with the same links instead.',
  delete_refused:
    'Delete a caller’s own token with another token, and empty a namespace first. Built-in records cannot be deleted.',
  builtin_immutable:
    'Leave the rules and datacenters of the built-in policy as they are, and create a policy of your own.',
  legacy_token_immutable:
    'Change this token through the token API: it has links, identities or an expiration.',
  legacy_rules_missing: 'Read the policies of the token instead: it has no legacy rules.',
  batch_too_large: 'Split the call into at most 64 checks each. For what-if, change fewer rules at once.',
  snapshot_invalid: 'Restore another archive: the text says where this one is damaged.',
  bootstrap_reset_invalid: 'Write the index that the refusal of bootstrap names into the reset file.',
  session_unknown: 'Create another session: this one has ended, or never was.',
  session_incompatible: 'Upgrade all servers to 1.7.2 or later.',
  acl_disabled: 'Switch ACLs on: the server runs with `LATCHKEY_ACL_ENABLED=off`.',
  privilege_missing: 'Present a token with the right that the text names, or grant the right to this token.',
  caller_unknown:
    'Present a valid secret. This one is wrong, its token was deleted or has expired, or it is a local token of another datacenter.',
  bootstrap_done: 'Use an existing management token. If all are lost, write the index into the reset file.',
  bootstrap_elsewhere: 'Bootstrap the primary datacenter, which the text names. Its token comes here, too.',
  root_name_refused:
    'Choose another secret: `allow`, `deny` and `manage` are reserved, and the anonymous token cannot be deleted.',
  legacy_mode: 'Wait for the upgrade step that the text names. Until then, use the legacy API.',
  auth_method_unknown:
    'Correct the name of the auth method, or the namespace that it is looked for in. `GET /v1/acl/auth-methods` lists them.',
  login_refused:
    'Get a new credential from the identity provider. The detail says what is wrong with this one; `POST /v1/acl/auth-method/:Name/explain` shows what claims would give.',
  login_unbound: 'Add a binding rule that matches the login, or create the role that a rule names.',
  origin_foreign: 'Write from a page of the same host, or from a program.',
  not_found: 'Look for the record in the list. It was deleted, has expired, or is in another namespace.',
  endpoint_unknown:
    'Correct the path, which is case-sensitive and has no slash at its end. A service version may also lack the endpoint.',
  method_not_allowed: 'Use one of the methods in the `Allow` header.',
  transaction_too_large:
    'Split the transaction, or write its keys below one prefix and delete them as a tree.',
  request_timeout: 'Send the body faster, without pauses.',
  id_in_use: 'Choose another id. After a lost answer, read the record: it may be yours.',
  name_in_use: 'Choose another name, or update the record that has this one.',
  token_replication_off:
    'Ask the primary datacenter, or use a global token. The operator can set `LATCHKEY_TOKEN_REPLICATION=on`.',
  replication_refused: 'For operators: the text says what to do first. See [datacenters](datacenters.md).',
  primary_superseded:
    'For operators: let the server that asks follow the new primary, and make this datacenter its secondary.',
  snapshot_refused:
    'For operators: start the server as the text says, with the keys, the datacenter and the service version of the archive. See [backup](operations.md#backup).',
  endpoint_removed: 'Use the endpoint that the text names.',
  body_too_large: 'Send at most as much as the text allows.',
  url_too_long: 'Shorten path and query to the bound that the text names.',
  host_not_allowed:
    'Use a name or address of the server. The operator adds names with `LATCHKEY_ALLOWED_HOSTS`.',
  too_many_connections: 'Reuse connections. The operator can raise the limit.',
  too_many_live_tokens:
    'Log out with tokens that are no longer needed. `GET /v1/acl/auth-method/:Name/logins` says who has them; `IdleTTL` of the method ends those that are not used.',
  too_many_logins:
    'Wait as `Retry-After` says. Keep a token for its lifetime instead of logging in for each request.',
  internal: 'Try again later, and give the operator the request id: the log has the cause.',
  endpoint_not_built: 'Use another service: this one has no such endpoint.',
  provider_unavailable:
    'Try again as `Retry-After` says. The log has the reason that the provider could not be reached.',
  copy_incomplete:
    'Keep the token, and try again after the time in `Retry-After`: this new secondary datacenter is still copying its primary.',
  datacenter_unreachable:
    'Try again after the time in `Retry-After`: nothing was sent, or the request was a read. Without `dc`, this datacenter answers.',
  datacenter_silent:
    'Read the record there before you try again: the write was sent, and its outcome is unknown.',
  intention_in_use: 'Update the intention that the text names, or choose another source or destination.',
  intention_edited:
    'Use `/v1/connect/intentions/exact` or `/v1/config`, or delete the config entry and create its intentions again.',
  intentions_migrating:
    'Repeat the write after `Retry-After`. `GET /v1/internal/intentions/migration` shows what the migration waits for.',
  unavailable: 'Try again after the time in `Retry-After`: nothing has changed. Reads with `stale` may work.',
}
