/** What a caller does about each error: one sentence for the page of errors. */
import type { AclErrorCode } from '../errors.ts'

export const ERROR_ADVICE: Readonly<Record<AclErrorCode, string>> = {
  body_malformed: 'Send exactly one JSON value in UTF-8, each field once; the text names line and column.',
  body_required: 'Send a JSON body; `{}` where there is nothing to say.',
  field_unknown: 'Correct the name, letter for letter: the text suggests the field that was probably meant.',
  field_type: 'Send the type that the text names; mind lists, and quotes around numbers.',
  query_invalid: 'Correct the option that `field` names; `stale` and `consistent` exclude each other.',
  version_invalid:
    'Write a version as `major.minor` or `major.minor.patch`, from 0.7 to 1.11, the older one first.',
  path_invalid: 'Percent-encode each part of the path once, without control characters.',
  header_invalid: 'Correct or leave out the header that `field` names.',
  namespace_unsupported: 'Leave the namespace out, or run the server with `LATCHKEY_EDITION=extended`.',
  datacenter_unknown:
    'Leave `dc` out, or give the name that `GET /v1/catalog/datacenters` lists, letter for letter.',
  id_missing: 'Put the identifier at the end of the path.',
  id_invalid: 'Send 36 characters: hexadecimal digits, with dashes at the usual places.',
  id_reserved:
    'Choose another UUID: those that begin with `00000000-0000-0000-0000-0000000000` belong to the service.',
  accessor_mismatch: 'Leave the identifier out of the body, or repeat the one in the path letter for letter.',
  field_required: 'Add the field that `field` names.',
  field_invalid: 'Change the value as the text says.',
  field_too_long: 'Shorten the field to the bound that the text names.',
  field_immutable:
    'Leave the field out, or send its stored value; to have another value, create another record.',
  local_mismatch: 'Send the stored value of Local: the update of a local token has to say `"Local": true`.',
  name_invalid: 'Choose a name of the characters and the length that the text names.',
  expiration_out_of_bounds:
    'Choose a lifetime from 1 minute to 24 hours; when cloning, a source that lives long enough.',
  expiration_conflict: 'Send ExpirationTime or ExpirationTTL, not both.',
  link_unknown:
    'Create what the link names first, in the same namespace, or correct the link that `field` names.',
  filter_conflict: 'Ask with one filter, and look for the other property in the answer.',
  rules_invalid:
    'Correct the rules at the line and column that the text names; `POST /v1/acl/policy/lint` helps.',
  clone_refused: 'Create a token with the wanted links instead.',
  delete_refused:
    'Delete it with another token; what is built in cannot be deleted, and what holds others not before them.',
  builtin_immutable:
    'Leave the rules and datacenters of the built-in policy as they are; make a policy of your own.',
  legacy_token_immutable:
    'Change this token through the token API: it has links, identities or an expiration.',
  legacy_rules_missing: 'Read the policies of the token instead: it has no legacy rules.',
  batch_too_large: 'Split the call: at most 64 checks, or for what-if fewer rules that differ.',
  bootstrap_reset_invalid: 'Write the index that the refusal of bootstrap names into the reset file.',
  session_unsupported: 'Use `cas` to write on a condition; there are no sessions to lock with.',
  acl_disabled: 'Nothing to manage: the server runs with `LATCHKEY_ACL_ENABLED=off`.',
  privilege_missing: 'Present a token with the right that the text names, or have it granted to this one.',
  caller_unknown:
    'Present a valid secret: this one is wrong, expired, deleted, or of another datacenter’s local token.',
  bootstrap_done: 'Use a management token that exists; if all are lost, write the index into the reset file.',
  root_name_refused:
    'Choose another secret: `allow`, `deny` and `manage` never are one; the anonymous token stays.',
  legacy_mode: 'Wait until the upgrade has gone on as the text says; the legacy API works meanwhile.',
  origin_foreign: 'Send writes from a page that the same host serves, or from a program.',
  not_found:
    'Look for the record in the list: it was deleted, has expired, or never was, at least in this namespace.',
  endpoint_unknown:
    'Correct the path, with case and without a slash at its end; or the service version has no such endpoint.',
  method_not_allowed: 'Use one of the methods in the `Allow` header.',
  request_timeout: 'Send the body without pauses, or over a better connection.',
  id_in_use: 'Choose another id; after a lost answer, read the record: it may be yours.',
  name_in_use: 'Choose another name, or update the record that has it.',
  endpoint_removed: 'Use the endpoint that the text names.',
  body_too_large: 'Send less than the bound that the text names.',
  url_too_long: 'Send less in path and query; the text names the bound.',
  host_not_allowed:
    'Use a name or address of the server; the operator adds names with `LATCHKEY_ALLOWED_HOSTS`.',
  too_many_connections: 'Keep connections open and use them again; the operator can raise the limit.',
  internal: 'Try again later, and tell the operator the request id: it is in the log with the cause.',
  endpoint_not_built: 'Ask another service: this one keeps tokens and keys.',
  unavailable: 'Try again after `Retry-After`: nothing was changed. Reads with `stale` may work.',
}
