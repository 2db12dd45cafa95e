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
tls=(${CONSUL_CACERT:+--cacert "$CONSUL_CACERT"} ${CONSUL_CLIENT_CERT:+--cert "$CONSUL_CLIENT_CERT"}
  ${CONSUL_CLIENT_KEY:+--key "$CONSUL_CLIENT_KEY"})

# Secrets stay in the memory of this shell and in pipes: neither arguments nor files show them.
http() { # options of curl
  curl -sS --fail-with-body --fail-early --max-time 60 ${tls[@]+"${tls[@]}"} \
    -H @<(printf 'X-Service-Token: %s\nX-Consul-Token: %s\n' "$secret" "$secret") "$@"
}
get() { http "$address$1"; }
get_each() { # PATH, the last parts of the paths on standard input
  local urls
  urls=$(while read -r part; do printf 'url = "%s%s"\n' "$address$1" "$part"; done)
  [ -z "$urls" ] || http -K <(printf %s "$urls")
}
send() { # METHOD PATH BODY
  printf %s "$3" | http -X "$1" --data-binary @- "$address$2"
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

declare -A hashes
hash_of() { # BASE64: sets hash
  hash=${hashes[=$1]:-}
  [ -z "$hash" ] || return 0
  hash=$(printf %s "$1" | base64 -d | sha256sum)
  hash=${hash%% *}
  hashes[=$1]=$hash
}
hash_tokens() {
  local id token rules hash
  while read -r id token rules; do
    hash_of "${token:1}" && token=$hash
    hash_of "${rules:1}" && rules=$hash
    printf '{"id":"%s","token":"%s","rules":"%s"}\n' "$id" "$token" "$rules"
  done
}

# The plan against what the service has: a line for each change, each difference, and what is done already.
STEPS='
def links: [
    (.Policies[]? | "policy \(.Name)"), (.Roles[]? | "role \(.Name)"),
    (.ServiceIdentities[]? | "service \(.ServiceName)" + ((.Datacenters // []) | sort | map(" in " + .) | join(""))),
    (.NodeIdentities[]? | "node \(.NodeName) in \(.Datacenter)")
  ] | sort | join(", ");
def step(kind; text; id; index; body): [kind, text, id, (index | tostring), (body | tojson)] | join("\t");
def differs(text): step("differs"; text; "-"; 0; null);
def is_done(text): step("done"; text; "-"; 0; null);

($hashes | INDEX(.id)) as $hash
| [$tokens[] | . + {links: links, token: $hash[.AccessorID].token, hash: $hash[.AccessorID].rules}] as $tokens
| ($tokens | INDEX(.AccessorID | ascii_downcase)) as $by_accessor
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
    | if $old == null then step("policy"; "policy \($new.Name): create"; "-"; 0; $new)
      elif $old.Rules == $new.Rules and ($old.Datacenters // []) == [] then is_done("policy \($new.Name)")
      else differs("policy \($new.Name) exists with other rules: rename the proposed one") end
  elif .role then
    .role as $new | $role[$new.Name] as $old
    | if $old == null then step("role"; "role \($new.Name): create"; "-"; 0; $new)
      elif ($old | links) == ($new | links) then is_done("role \($new.Name)")
      else differs("role \($new.Name) exists with other links: rename the proposed one") end
  elif .restore then
    . as $old
    | token_named(.restore; .name; .text as $text
      | if .links == "" and (.Rules // "") == $old.rules and $old.type == "client" then is_done($text)
        elif .links != $old.links then differs("\($text): it was changed after the conversion: \(.links)")
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
          step("saved"; "-"; "-"; 0; {
            restore: .token, name: $new.name, links: $wanted, rules: (.Rules // ""),
            type: (if $new.management then "management" else "client" end)
          }),
          step("token"; "\($text): \(if $wanted == "" then "no rules" else $wanted end)"; .AccessorID; .ModifyIndex;
            {Description, Local} + $new.links)
        end)
  end
'

# Runs commands in the background, sixteen at a time.
pids=()
start() {
  [ "${#pids[@]}" -lt 16 ] || finish
  "$@" &
  pids+=($!)
}
finish() {
  wait "${pids[0]}" || { wait "${pids[@]}" || true; fail 'stopped at the error above; the script can be run again'; }
  pids=("${pids[@]:1}")
}
finish_all() { while [ "${#pids[@]}" -gt 0 ]; do finish; done; }

# Between the reading of all tokens and this change, somebody may have changed this one.
still() { # ID INDEX TEXT
  local now
  now=$(get "/v1/acl/token/$1") || fail "$3: it can no longer be read"
  [[ $now =~ \"ModifyIndex\":\ *([0-9]+) && ${BASH_REMATCH[1]} == "$2" ]] || fail "$3: it was just changed by somebody else"
}
change() { # KIND TEXT ID INDEX BODY
  local answer legacy keep why
  case $1 in
  policy | role) answer=$(send PUT "/v1/acl/$1" "$5") || fail "$2: $(reason $? "$answer")" ;;
  token)
    still "$3" "$4" "$2"
    answer=$(send PUT "/v1/acl/token/$3" "$5") || fail "$2: $(reason $? "$answer")"
    ;;
  restore)
    still "$3" "$4" "$2"
    legacy=$(printf %s "$5" | jq -c .legacy)
    keep=$(printf %s "$5" | jq -c .keep)
    # A token gets rules only when it is created. Nothing interrupts the steps between.
    trap '' INT TERM HUP
    answer=$(send DELETE "/v1/acl/token/$3" '') || fail "$2: $(reason $? "$answer")"
    for _ in {1..10}; do
      answer=$(send PUT /v1/acl/create "$legacy") && return
      why=$(reason $? "$answer")
      send PUT /v1/acl/token "$keep" >/dev/null 2>&1 && fail "$2: it keeps its links, because its rules are refused: $why"
      sleep 2
    done
    fail "$2: IT IS DELETED, and cannot be created again: $why. Create it with its secret, and the rules in this script"
    ;;
  esac
}
change_all() { # KIND
  local kind text id index body
  while IFS=$'\t' read -r kind text id index body; do
    [ "$kind" != "$1" ] || start change "$kind" "$text" "$id" "$index" "$body"
  done < <(printf '%s\n' "$steps")
  finish_all
}
texts() { # KIND
  printf '%s\n' "$steps" | while IFS=$'\t' read -r kind text _; do [ "$kind" != "$1" ] || printf '%s\n' "$text"; done
}
count() { # KIND
  texts "$1" | wc -l | tr -d ' '
}

plan | jq -e 'select(.restore)' >/dev/null && is_undo=yes || is_undo=no
[ "$is_undo" = no ] || get /v1/acl/list >/dev/null ||
  fail "$address has no legacy API, which alone can restore rules: 1.10 is the last version with it"
list=$(read_from /v1/acl/tokens)
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
hashed=$(printf %s "$tokens" |
  jq -r '[.AccessorID, "=" + (.SecretID // "" | @base64), "=" + (.Rules // "" | @base64)] | join(" ")' | hash_tokens)
steps=$(jq -nr --slurpfile plan <(plan) --slurpfile tokens <(printf %s "$tokens") --slurpfile policies <(printf %s "$policies") \
  --slurpfile hashes <(printf %s "$hashed") --slurpfile role_list <(printf %s "$roles") '$role_list[0] as $roles | '"$STEPS")

if [ "$(count differs)" -gt 0 ]; then
  texts differs >&2
  fail 'nothing was changed. Convert a new dump, or delete the lines of these at the end of this script, which leaves them alone' 3
fi
summary="$(($(count policy) + $(count role))) policies and roles, $(($(count token) + $(count restore))) tokens; $(count done) done already"
if [ "$check" = yes ]; then
  for kind in policy role token restore; do texts "$kind"; done
  printf 'would change: %s\n' "$summary"
  exit
fi
if [ "$(count saved)" -gt 0 ]; then
  undo=$(dirname "${BASH_SOURCE[0]}")/undo-$(date +%Y%m%d-%H%M%S)-$$.sh
  {
    sed '/^__PLAN__$/q' "${BASH_SOURCE[0]}"
    printf '%s\n' "$steps" | while IFS=$'\t' read -r kind _ _ _ body; do [ "$kind" != saved ] || printf '%s\n' "$body"; done
  } >"$undo"
  printf 'to undo this: bash %s\n' "$undo"
fi
for kind in policy role token restore; do change_all "$kind"; done
printf 'changed: %s\n' "$summary"
exit
__PLAN__
