#!/usr/bin/env bash
# Gives policies to legacy tokens, over HTTP, on this service or the legacy service. Run it while the cluster runs 1.10.
# It needs bash 4, curl 7.76, jq 1.6, base64 and sha256sum, and can be repeated: what is done already is skipped.
#   --check  says what would change, and changes nothing
# LATCHKEY_ADDR or CONSUL_HTTP_ADDR is the address, LATCHKEY_TOKEN or CONSUL_HTTP_TOKEN the secret of a token with acl:write;
# CONSUL_HTTP_TOKEN_FILE, CONSUL_HTTP_SSL, CONSUL_CACERT, CONSUL_CLIENT_CERT and CONSUL_CLIENT_KEY count too.
# Exit codes: 0 done, 1 failed, 2 usage, 3 something differs from the plan: nothing was changed.
set -euo pipefail
umask 077

fail() { printf '%s\n' "$1" >&2; exit "${2:-1}"; }
case "$#:${1:-}" in
0:) check=no ;;
1:--check) check=yes ;;
*) fail "usage: $0 [--check]" 2 ;;
esac
address=${LATCHKEY_ADDR:-${CONSUL_HTTP_ADDR:-http://127.0.0.1:8500}}
case "$address:${CONSUL_HTTP_SSL:-}" in
*://*) ;;
*:1 | *:[Tt] | *:[Tt][Rr][Uu][Ee]) address=https://$address ;;
*) address=http://$address ;;
esac
address=${address%/}
secret=${LATCHKEY_TOKEN:-${CONSUL_HTTP_TOKEN:-}}
[ -n "$secret" ] || [ -z "${CONSUL_HTTP_TOKEN_FILE:-}" ] || secret=$(<"$CONSUL_HTTP_TOKEN_FILE")
[ -n "$secret" ] || fail 'set LATCHKEY_TOKEN to the secret of a token with acl:write' 2

# Secrets stay in the memory of this shell and in pipes. Only the file of the tokens that an undo is restoring holds theirs.
quoted() { local text=${1//\\/\\\\}; printf '"%s"' "${text//\"/\\\"}"; }
options=$(
  printf 'silent\nshow-error\nfail-early\nfail-with-body\nmax-time = 60\n'
  [ -z "${CONSUL_CACERT:-}" ] || printf 'cacert = %s\n' "$(quoted "$CONSUL_CACERT")"
  [ -z "${CONSUL_CLIENT_CERT:-}" ] || printf 'cert = %s\n' "$(quoted "$CONSUL_CLIENT_CERT")"
  [ -z "${CONSUL_CLIENT_KEY:-}" ] || printf 'key = %s\n' "$(quoted "$CONSUL_CLIENT_KEY")"
)
as() { # SECRET: the options of a call with this token
  printf '%s\n' "$options"
  for prefix in X-Service X-Consul; do printf 'header = %s\n' "$(quoted "$prefix-Token: $1")"; done
}
common=$(as "$secret")
http() { # a configuration of curl, and its standard input
  printf %s "${2:-}" | curl -q -K <(printf '%s\n' "$1")
}
get_each() { # PATH, the last parts of the paths on standard input
  local urls
  urls=$(while read -r part; do printf 'url = "%s%s"\n' "$address$1" "$part"; done)
  [ -z "$urls" ] || http "$common"$'\n'"$urls"
}
get() { get_each "$1" < <(echo); }
put() { # PATH BODY
  http "$common"$'\n'"url = \"$address$1\""$'\nrequest = PUT\ndata-binary = @-' "$2"
}
reason() { # EXIT_CODE ANSWER: a refusal holds no secret, but an answer that was cut off may
  if [ "$1" = 22 ]; then printf %s "${2:0:300}"; else printf 'no complete answer'; fi
}
read_from() { # PATH
  local answer
  answer=$(get "$1") || fail "cannot read $address$1: $(reason $? "$answer")"
  printf %s "$answer"
}

plan() { sed '1,/^__PLAN__$/d' "${BASH_SOURCE[0]}"; }

hash_lines() { # texts with the escapes of @tsv, one a line
  local texts i each
  while mapfile -t -n 64 texts && [ "${#texts[@]}" -gt 0 ]; do
    each=
    for i in "${!texts[@]}"; do each+=" <(printf %b \"\${texts[$i]}\")"; done
    eval "sha256sum$each" | cut -c 1-64
  done
}

# The plan against what the service has: a line for each change, each difference, and what is done already.
LINKS='def links: [
    (.Policies[]? | "policy \(.Name)"), (.Roles[]? | "role \(.Name)"),
    (.ServiceIdentities[]? | "service \(.ServiceName)" + ((.Datacenters // []) | sort | map(" in " + .) | join(""))),
    (.NodeIdentities[]? | "node \(.NodeName) in \(.Datacenter)")
  ] | sort | join(", ");
'
STEPS='
def step(kind; text; id; index; body): {kind: kind, text: text, id: id, index: index, body: body};
def differs(text): step("differs"; text; null; 0; null);
def is_done(text): step("done"; text; null; 0; null);
# Before a version that has a link, the service ignores it without an error, and the token would have no rights.
def needs: [$plan[] | .links | objects] as $links | if any($links[].NodeIdentities[]?; true) then [1, 8, 1]
  elif any($plan[].role, ($links[] | .Roles[]?, .ServiceIdentities[]?); .) then [1, 5, 0] else [] end;

([$texts, $hashes | split("\n")[:-1]] | transpose | map({(.[0]): .[1]}) | add) as $hash
| [$tokens[] | . + {links: links, token: $hash[[.SecretID] | @tsv], hash: $hash[[.Rules] | @tsv]}] as $tokens
| ([$members[] | select((.Tags.role | . == "consul" or . == "server") and .Status == 1) | .Tags.build // ""
    | split(":")[0] | split(".") | map(tonumber? // 0)] | min // []) as $runs
| if $runs < needs then differs("the plan needs version \(needs | join(".")), and the service "
    + (if $runs == [] then "does not show its servers to this token" else "has a server of \($runs | join("."))" end))
  else empty end,
(
($tokens | INDEX(.AccessorID | ascii_downcase)) as $by_accessor
| (reduce $tokens[] as $each ({}; .[$each.token[0:12]] += [$each])) as $by_hash
| ($policies | INDEX(.Name)) as $policy
| ($roles | INDEX(.Name)) as $role
| def token_named(id; name; then_do):
    id as $id
    | "token \(name) (\(if ($id | length) == 64 then $id[0:12] else $id end))" as $text
    | ($by_accessor[$id | ascii_downcase] | if . then [.] else $by_hash[$id[0:12]] // [] end
      | map(select((.token | startswith($id)) or (.AccessorID | ascii_downcase) == ($id | ascii_downcase)))) as $found
    | if $found == [] then
        differs("\($text): not found, or without an accessor; if the service shows no secrets, run convert with --accessors")
      elif ($found | length) > 1 then differs("\($text): several tokens have this hash; run convert with --accessors")
      else $found[0] + {$text} | then_do end;
$plan[]
| if .policy then
    .policy as $new | $policy[$new.Name] as $old
    | if $old == null then step("policy"; "policy \($new.Name): create"; null; 0; $new)
      elif $old.Rules == $new.Rules and ($old.Datacenters // []) == [] then is_done("policy \($new.Name)")
      else differs("policy \($new.Name) exists with other rules: rename the proposed one") end
  elif .role then
    .role as $new | $role[$new.Name] as $old
    | if $old == null then step("role"; "role \($new.Name): create"; null; 0; $new)
      elif ($old | links) == ($new | links) then is_done("role \($new.Name)")
      else differs("role \($new.Name) exists with other links: rename the proposed one") end
  elif .restore then
    . as $old
    | token_named(.restore; .name; .text as $text
      | if .links == "" and (.Rules // "") == $old.rules and $old.type == "client" then is_done($text)
        elif .links != $old.links then differs("\($text): it was changed after the conversion: \(.links)")
        elif .AccessorID == "00000000-0000-0000-0000-000000000002" or .SecretID == $own then
          step("kept"; "\($text): it keeps its links, because it \(if .SecretID == $own then "runs this script"
            else "cannot be deleted" end)"; null; 0; null)
        else step("restore"; "\($text): its rules instead of \(.links)"; .AccessorID; .ModifyIndex; {
          legacy: {ID: .SecretID, Name: (.Description // ""), Type: $old.type, Rules: $old.rules},
          keep: {AccessorID, SecretID, Description, Policies, Roles, ServiceIdentities, NodeIdentities}
        }) end)
  else
    . as $new | ($new.links | links) as $wanted
    | token_named(.token; .name; .text as $text
      | if $wanted != "" and .links == $wanted then is_done($text)
        elif $new.management and any(.Policies[]?; .ID == "00000000-0000-0000-0000-000000000001") then is_done($text)
        elif .links != "" then differs("\($text): it has links that are not of this plan: \(.links)")
        elif $wanted == "" and (.Rules // "") == "" then is_done($text)
        elif $new.management and .ModifyIndex != $new.index then differs("\($text): it was changed after the dump")
        elif ($new.management | not) and .hash != $new.rules then differs("\($text): its rules were changed after the dump")
        else
          step("saved"; null; null; 0; {
            restore: .token, name: $new.name, links: $wanted, rules: (.Rules // ""),
            type: (if $new.management then "management" else "client" end)
          }),
          step("token"; "\($text): \(if $wanted == "" then "no rules" else $wanted end)"; .AccessorID; .ModifyIndex;
            {Description, Local} + $new.links)
        end)
  end
)
'

# The requests of a group of steps, as sections for one process of curl. Between the reading of all tokens and these,
# somebody may have changed one. A body alone is the standard input, because curl limits the lines of a configuration.
REQUESTS='
def section(method; path; body): "\($common)\nwrite-out = \"\\n%{http_code}\\n\"\nurl = \($address + path | tojson)"
  + "\nrequest = \(method)" + (if body then "\ndata-binary = "
  + if $group[0] | length == 1 then "@-" else (body | tojson | tojson) end else "" end) + "\n";
$group[0] as $group | ($now | map({(.AccessorID): .ModifyIndex}) | add) as $index
| ([$group[] | select(.id and $index[.id] != .index)][0] | select(.)
    | "\(.text): it was just changed by somebody else\n" | halt_error(1)),
  ([$group[]
    | if .kind == "token" then section("PUT"; "/v1/acl/token/\(.id)"; .body)
      elif .kind == "restore" then section("DELETE"; "/v1/acl/token/\(.id)"; null), section("PUT"; "/v1/acl/create"; .body.legacy)
      else section("PUT"; "/v1/acl/\(.kind)"; .body) end] | join("next\n"))
'
of() { # STEPS FILTER
  printf '%s\n' "$1" | jq -r "$2"
}
change() { # GROUP IDS BODY
  local now='' requests answers code=0 done text
  [ -z "$2" ] || now=$(printf '%s\n' "${2// /$'\n'}" | get_each /v1/acl/token/) ||
    fail "$(of "$1" '.[0].text'), or one of the next: it can no longer be read"
  requests=$(jq -rn --rawfile common <(printf %s "$common") --arg address "$address" --slurpfile now <(printf %s "$now") \
    --slurpfile group <(printf %s "$1") "$REQUESTS")
  if [ "$is_undo" = yes ]; then
    printf '%s\n' "$1" >"$pending"
    sync "$pending"
  fi
  answers=$(trap '' INT TERM HUP && http "$requests" "$3") || code=$?
  if [ "$code" = 0 ]; then
    rm -f "$pending"
  else
    [ ! -s "$pending" ] || recreate
    done=$(printf '%s\n' "$answers" | grep -c '^2[0-9][0-9]$') || true
    answers=${answers%$'\n'*}
    fail "$(of "$1" ".[$done / (if .[0].kind == \"restore\" then 2 else 1 end) | floor].text"): $(reason "$code" "${answers##*$'\n'}")"
  fi
  text=$(jq -rn --slurpfile group <(printf %s "$1") --slurpfile answers <(printf %s "$answers") "$LINKS"'
    [$answers[] | objects] as $answers | [$group[0] | to_entries[] | select(.value.kind != "restore")
    | select((.value.body | links) != ($answers[.key] | links)) | .value.text][0] // ""')
  [ -z "$text" ] || fail "$text: the service stored other links"
  [ "$stopped" = no ] || fail 'stopped; the script can be run again' 130
}
# A token gets rules only when it is created. If an undo was ended between, or a call failed, this creates the token again.
recreate() {
  local text owner legacy keep why code
  while IFS= read -r text && IFS= read -r owner && IFS= read -r legacy && IFS= read -r keep; do
    for _ in {1..10}; do
      code=0
      http "$(as "$owner")"$'\n'"url = \"$address/v1/acl/token/self\"" >/dev/null 2>&1 || code=$?
      [ "$code" != 0 ] || continue 2
      if [ "$code" = 22 ]; then
        why=$(put /v1/acl/create "$legacy") && printf '%s: created again\n' "$text" && continue 2
        ! put /v1/acl/token "$keep" >/dev/null 2>&1 ||
          { printf '%s: it keeps its links, because its rules are refused: %s\n' "$text" "${why:0:300}" >&2 && continue 2; }
      fi
      sleep 2
    done
    fail "$text: IT MAY BE DELETED, and cannot be created again now. Run this script again: $pending holds its secret"
  done < <(jq -r '.[] | .text, (.body | .legacy.ID, (.legacy | tojson), (.keep | tojson))' "$pending")
  rm -f "$pending"
}

pending=${BASH_SOURCE[0]}.pending
stopped=no
plan | jq -e 'select(.restore)' >/dev/null && is_undo=yes || is_undo=no
[ "$is_undo" = no ] || get /v1/acl/list >/dev/null ||
  fail "$address has no legacy API, which alone can restore rules: 1.10 is the last version with it"
if [ -s "$pending" ]; then
  if [ "$check" = no ]; then recreate; else jq -r '.[].text + " (created again, if it is missing)"' "$pending"; fi
fi
for _ in {1..30}; do
  list=$(read_from /v1/acl/tokens)
  # The tokens that an undo created get their accessors within a second or two.
  [ "$is_undo" = yes ] && of "$list" 'if any(.[]; .AccessorID == "") then "" else halt_error(1) end' >/dev/null 2>&1 || break
  sleep 1
done
tokens=$(printf %s "$list" | jq -r --slurpfile plan <(plan) '
  ($plan | map(.token // .restore // empty)) as $ids | ($ids | INDEX(ascii_downcase)) as $named
  | ($ids | all(length == 36)) as $by_accessor
  | .[] | select(.AccessorID != "" and (.AuthMethod // "") == "") | .AccessorID
  | select(($by_accessor | not) or $named[ascii_downcase])' | get_each /v1/acl/token/) ||
  fail "cannot read the tokens of $address, or one was just deleted; run the script again"
list=$(read_from /v1/acl/policies)
policies=$(printf %s "$list" | jq -r --slurpfile plan <(plan) '
  ($plan | map(.policy.Name // empty) | INDEX(.)) as $names | .[] | select($names[.Name]) | .ID' |
  get_each /v1/acl/policy/) || fail "cannot read the policies of $address"
roles='[]'
if plan | jq -e 'select(.role)' >/dev/null; then roles=$(read_from /v1/acl/roles); fi
members='[]'
[ "$is_undo" = yes ] || members=$(get /v1/agent/members 2>/dev/null) || members='[]'
texts=$(printf %s "$tokens" | jq -rs 'map(.SecretID, .Rules | [.] | @tsv) | unique[]')
steps=$(jq -cn --slurpfile plan <(plan) --slurpfile tokens <(printf %s "$tokens") --slurpfile policies <(printf %s "$policies") \
  --slurpfile members <(printf %s "$members") --slurpfile role_list <(printf %s "$roles") --rawfile texts <(printf '%s\n' "$texts") \
  --rawfile hashes <(printf '%s\n' "$texts" | hash_lines) --rawfile own <(printf %s "$secret") \
  '$role_list[0] as $roles | $members[0] as $members | '"$LINKS$STEPS")

differences=$(of "$steps" 'select(.kind == "differs").text')
if [ -n "$differences" ]; then
  printf '%s\n' "$differences" >&2
  fail 'nothing was changed. Convert a new dump, or delete the lines of these at the end of this script, which leaves them alone' 3
fi
summary=$(printf '%s\n' "$steps" | jq -rs 'def count(kinds): map(select(.kind | IN(kinds))) | length;
  "\(count("policy", "role")) policies and roles, \(count("token", "restore")) tokens; \(count("done")) done already"')
of "$steps" 'select(.kind == "kept").text'
if [ "$check" = yes ]; then
  of "$steps" 'select(.kind | IN("policy", "role", "token", "restore")).text'
  printf 'would change: %s\n' "$summary"
  exit
fi
saved=$(of "$steps" 'select(.kind == "saved").body | tojson')
if [ -n "$saved" ]; then
  undo=$(dirname "${BASH_SOURCE[0]}")/undo-$(date +%Y%m%d-%H%M%S)-$$.sh
  sed '/^__PLAN__$/q' "${BASH_SOURCE[0]}" >"$undo"
  printf '%s\n' "$saved" >>"$undo"
  printf 'to undo this: bash %s\n' "$undo"
fi
trap 'stopped=yes' INT TERM HUP
while IFS= read -r group && IFS= read -r ids && IFS= read -r body; do
  change "$group" "$ids" "$body"
done < <(printf '%s\n' "$steps" | jq -rs '
  def is_long: tojson | length > 20000;
  ["policy", "role", "token", "restore"][] as $kind | reduce (.[] | select(.kind == $kind)) as $step ([];
    if length == 0 or (.[-1] | length == 16) or ($step | is_long) or (.[-1][0] | is_long) then . + [[$step]]
    else .[-1] += [$step] end) | .[]
  | tojson, (map(.id // empty) | join(" ")), (if length > 1 then "" else .[0].body | .legacy // . | tojson end)')
printf 'changed: %s\n' "$summary"
exit
__PLAN__
