/** The commands that apply a plan, as two shell scripts: one for this service, and one for the CLI of the legacy service. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeOutputDirectory, writeOutputFile } from '../../cli/output-file.ts'
import { isValidName } from '../names.ts'
import { decisionsOf } from '../review-decisions.ts'
import { type ConversionPlan, type PlannedToken, planSchema } from './plan-schema.ts'

type CommandPlan = Pick<ConversionPlan, 'policies' | 'roles' | 'groups' | 'management' | 'cleared'>

/** The plan without rejected groups, and without the policies and roles that only they use. */
function acceptedPart(plan: CommandPlan): CommandPlan {
  const groups = plan.groups.filter(({ rejected }) => !rejected)
  const roleNames = new Set(groups.flatMap(({ roles }) => roles))
  const roles = plan.roles.filter(({ name }) => roleNames.has(name))
  const policyNames = new Set([...groups, ...roles].flatMap(({ policies }) => policies))
  return { ...plan, groups, roles, policies: plan.policies.filter(({ name }) => policyNames.has(name)) }
}

export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

export function commentOf(name: string): string {
  const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name
  const codeOf = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
  return name === ''
    ? 'without name'
    : JSON.stringify(shown).replace(/[\p{C}\p{Z}]/gu, (c) => (c === ' ' ? c : codeOf(c)))
}

const SHARED = `fail() { printf '%s\\n' "$1" >&2; exit 1; }

same_rules() { # NAME FOUND RULES
  jq -e --rawfile rules <(printf '%s\\n' "$3") '.Rules == $rules' <<<"$2" >/dev/null ||
    fail "policy $1 exists with other rules: rename the proposed one"
}
same_policies() { # NAME FOUND POLICY…
  jq -e '[.Policies[]?.Name] | sort == ($ARGS.positional | sort)' --args "\${@:3}" <<<"$2" >/dev/null ||
    fail "role $1 exists with other policies: rename the proposed one"
}

# Reads the list of tokens once. Secrets stay in the memory of this shell.
declare -A ids states descriptions
read_tokens() {
  local id state description secret hash
  while read -r id state description secret; do
    ids[\${id,,}]=$id
    states[$id]=$state
    descriptions[$id]=\${description:1}
    [ "$by_hash" = yes ] && [ "$secret" != = ] || continue
    hash=$(printf %s "\${secret:1}" | base64 -d | sha256sum)
    hash=\${hash:0:12}
    if [ -n "\${ids[$hash]:-}" ]; then ids[$hash]=several; else ids[$hash]=$id; fi
  done < <(list_tokens | jq -r '.[] | select(.AccessorID != "") | [
    .AccessorID,
    (if .Legacy then "legacy"
      elif any(.Policies[]?; .ID == "00000000-0000-0000-0000-000000000001") then "managed"
      else "plain" end),
    "=" + ((.Description // "") | @base64),
    "=" + (if .SecretID == "<hidden>" then "" else .SecretID // "" end | @base64)
  ] | join(" ")')
  [ "\${#states[@]}" -gt 0 ] || fail "the service lists no token with an accessor"
}

# Runs commands in the background, sixteen at a time.
pids=()
start() {
  [ "\${#pids[@]}" -lt 16 ] || finish
  "$@" &
  pids+=($!)
}
finish() {
  wait "\${pids[0]}" || fail 'stopped at the error above; the script can be run again'
  pids=("\${pids[@]:1}")
}
finish_all() { while [ "\${#pids[@]}" -gt 0 ]; do finish; done; }

# Finds a token by its accessor or by the hash of its ID: sets id.
find_token() {
  id=\${ids[\${1,,}]:-}
  [ -n "$id" ] || fail "token $1: not found, or without an accessor. If the list shows no secrets, run convert with --accessors"
  [ "$id" != several ] || fail "token $1: several tokens have this hash. Run convert with --accessors"
}
`

const LATCHKEY = `# LATCHKEY_ADDR is the address of the service, LATCHKEY_TOKEN the secret of a token with acl:write.
: "\${LATCHKEY_ADDR:=http://127.0.0.1:8500}" "\${LATCHKEY_TOKEN:?set it to the secret of a token with acl:write}"

call() { # METHOD PATH, then options of curl
  curl -sS --fail-with-body -X "$1" "\${@:3}" -H @<(printf 'X-Service-Token: %s\\n' "$LATCHKEY_TOKEN") "$LATCHKEY_ADDR$2"
}
send() { # PATH, the body on standard input. Answers may hold secrets.
  local answer
  answer=$(call PUT "$1" --data-binary @-) || fail "$1: $answer"
}
list_tokens() { call GET /v1/acl/tokens; }

policy() { # NAME DESCRIPTION, the rules on standard input
  local found rules
  rules=$(cat)
  if found=$(call GET "/v1/acl/policy/name/$1" 2>/dev/null); then
    same_rules "$1" "$found" "$rules"
  else
    jq -Rs --arg Name "$1" --arg Description "$2" '{$Name, $Description, Rules: .}' <<<"$rules" |
      send /v1/acl/policy
  fi
}
role() { # NAME DESCRIPTION POLICY…
  local found
  if found=$(call GET "/v1/acl/role/name/$1" 2>/dev/null); then
    same_policies "$1" "$found" "\${@:3}"
  else
    jq -n --arg Name "$1" --arg Description "$2" '{$Name, $Description, Policies: [$ARGS.positional[] | {Name: .}]}' \\
      --args "\${@:3}" | send /v1/acl/role
  fi
}
update() { # LINKS: an update keeps nothing that it does not name
  base64 -d <<<"\${descriptions[$id]}" | jq -Rs --argjson links "$1" '{Description: .} + $links' |
    send "/v1/acl/token/$id"
}
token() { # TOKEN LINKS
  local id
  find_token "$1"
  [ "\${states[$id]}" != legacy ] || start update "$2"
}
management() { # TOKEN
  local id
  find_token "$1"
  [ "\${states[$id]}" = managed ] || start update '{"Policies":[{"ID":"00000000-0000-0000-0000-000000000001"}]}'
}
`

const CONSUL = `# The CLI reads CONSUL_HTTP_ADDR, CONSUL_HTTP_TOKEN and its other variables; the token needs acl:write.
list_tokens() { consul acl token list -format=json; }

policy() { # NAME DESCRIPTION, the rules on standard input
  local found rules
  rules=$(cat)
  if found=$(consul acl policy read -name "$1" -format=json 2>/dev/null); then
    same_rules "$1" "$found" "$rules"
  else
    consul acl policy create -name "$1" -description "$2" -rules - <<<"$rules" >/dev/null
  fi
}
role() { # NAME DESCRIPTION POLICY…
  local found flags=() each
  if found=$(consul acl role read -name "$1" -format=json 2>/dev/null); then
    same_policies "$1" "$found" "\${@:3}"
    return
  fi
  for each in "\${@:3}"; do flags+=(-policy-name "$each"); done
  consul acl role create -name "$1" -description "$2" "\${flags[@]}" >/dev/null
}
update() { consul acl token update -id "$id" "$@" >/dev/null; } # The answer holds the secret.
token() { # TOKEN, then flags
  local id
  find_token "$1"
  [ "\${states[$id]}" != legacy ] || start update -upgrade-legacy "\${@:2}"
}
management() { # TOKEN
  local id
  find_token "$1"
  [ "\${states[$id]}" = managed ] || start update -policy-name global-management
}
`

export function latchkeyScript(plan: CommandPlan): string {
  const links = (group: CommandPlan['groups'][number]) => {
    const named = (names: readonly string[]) => names.map((Name) => ({ Name }))
    const policies = group.policies.length > 0 ? { Policies: named(group.policies) } : {}
    const roles = group.roles.length > 0 ? { Roles: named(group.roles) } : {}
    return [shellQuote(JSON.stringify({ ...policies, ...roles }))]
  }
  return script(plan, { needs: 'curl, jq', body: LATCHKEY + SHARED, links, noLinks: ["'{}'"] })
}

export function consulScript(plan: CommandPlan): string {
  const links = (group: CommandPlan['groups'][number]) => [
    ...group.policies.map((name) => `-policy-name ${shellQuote(name)}`),
    ...group.roles.map((name) => `-role-name ${shellQuote(name)}`),
  ]
  return script(plan, { needs: 'consul, jq', body: CONSUL + SHARED, links, noLinks: [] })
}

function script(
  plan: CommandPlan,
  {
    needs,
    body,
    links,
    noLinks,
  }: {
    readonly needs: string
    readonly body: string
    readonly links: (group: CommandPlan['groups'][number]) => readonly string[]
    readonly noLinks: readonly string[]
  },
): string {
  const { policies, roles, groups, management, cleared } = acceptedPart(plan)
  const all = [...groups.flatMap(({ tokens }) => tokens), ...management, ...cleared]
  const line = (command: string, token: PlannedToken, rest: readonly string[]) =>
    `${[command, shellQuote(token.accessor ?? token.idHash), ...rest].join(' ')} # ${commentOf(token.name)}`
  const quoted = (command: string, values: readonly string[]) =>
    [command, ...values.map(shellQuote)].join(' ')
  const lines = [
    '#!/usr/bin/env bash',
    '# Gives policies to legacy tokens. Run it while the cluster runs 1.10.',
    `# It needs bash 4, ${needs}, base64 and sha256sum. It can be repeated: what is there already is not written again.`,
    'set -euo pipefail',
    '',
    body,
    `by_hash=${all.some(({ accessor }) => accessor === undefined) ? 'yes' : 'no'}`,
    'read_tokens',
    '',
    // No line of rules begins with capitals, so the delimiter cannot occur in the text.
    ...policies.map(
      ({ name, description, rules }) =>
        `${quoted('policy', [name, description])} <<'END_OF_RULES'\n${rules}END_OF_RULES`,
    ),
    ...roles.map((role) => quoted('role', [role.name, role.description, ...role.policies])),
    '',
    ...groups.flatMap((group) => group.tokens.map((token) => line('token', token, links(group)))),
    ...cleared.map((token) => line('token', token, noLinks)),
    ...management.map((token) => line('management', token, [])),
    'finish_all',
    '',
  ]
  return lines.join('\n')
}

/** Maximum number of policies to write as files. With more, only the plan and the scripts contain them. */
const POLICY_FILES_MAX = 2_000

/** Removes the policies of an earlier run. @returns false, unwritten, if a decision would change. */
export function writeConversion(folder: string, plan: ConversionPlan): boolean {
  if (plan.proof.differenceCount > 0) return false
  const accepted = acceptedPart(plan)
  const policies = join(folder, 'policies')
  const ownFiles = accepted.policies.length > POLICY_FILES_MAX ? [] : accepted.policies
  makeOutputDirectory(policies)
  const wanted = new Set(ownFiles.map(({ name }) => `${name}.hcl`))
  for (const old of earlierPolicies(folder))
    if (!wanted.has(old)) rmSync(join(policies, old), { force: true })
  for (const { name, rules } of ownFiles) writeOutputFile(join(policies, `${name}.hcl`), rules)
  const files = {
    'plan.json': `${JSON.stringify(plan)}\n`,
    'names.json': `${JSON.stringify(decisionsOf(plan), null, 2)}\n`,
    'apply-latchkey.sh': latchkeyScript(plan),
    'apply-consul.sh': consulScript(plan),
  }
  for (const [name, text] of Object.entries(files)) writeOutputFile(join(folder, name), text)
  return true
}

function earlierPolicies(folder: string): readonly string[] {
  try {
    const plan = planSchema.parse(JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8')))
    return plan.policies.filter(({ name }) => isValidName(name)).map(({ name }) => `${name}.hcl`)
  } catch {
    return []
  }
}
