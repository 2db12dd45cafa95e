import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { describe, expect, test } from 'vitest'
import { aConversion } from '../../../test/conversion.ts'
import { planOf } from '../make-conversion.ts'
import { proveConversion } from '../proof/prove-conversion.ts'
import { commentOf, consulScript, latchkeyScript, shellQuote } from './commands.ts'

const folder = temporaryFolder('convert-commands')
const PWNED = join(folder, 'pwned')
/** Text that does harm if it is not quoted. */
const HOSTILE = `x'; touch ${PWNED}; "$(touch ${PWNED})\`touch ${PWNED}\`\ntouch ${PWNED}\n\r\u2028\u202e\u0000END_OF_RULES\n中文`
const RULES = `key ${JSON.stringify(`${HOSTILE}\n`)} { policy = "write" }`

const conversion = aConversion([
  { id: 'one', name: HOSTILE, rules: `{"key":{${JSON.stringify(HOSTILE)}:{"policy":"write"}}}` },
  { id: 'two', name: 'clear', rules: 'acl = "read"' },
  { id: 'three', name: 'admin', type: 'management' },
  { id: 'four', name: HOSTILE, rules: RULES },
])
const outcome = { verdict: 'go', reasons: [], findings: [] } as const
const plan = planOf(conversion, {
  proof: proveConversion(conversion, { questions: 1, seed: 1 }),
  upgrade: { unconverted: outcome, converted: outcome },
  refused: 0,
})
const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex').slice(0, 12)

test.each([
  ['plain-1', 'plain-1'],
  ["a'b", "'a'\\''b'"],
  ['', "''"],
  ['$(x)', "'$(x)'"],
])('%s is one argument', (text, quoted) => {
  expect(shellQuote(text)).toBe(quoted)
})

test('a name in a comment stays on its line, and its invisible characters are shown', () => {
  expect(commentOf(HOSTILE)).not.toMatch(/[\n\r\u2028\u202e\0]/)
  expect(commentOf('')).toBe('without name')
})

/** Runs a script with a fake program that records its arguments and answers with the list of tokens. */
function runScript(script: string, tokens: readonly object[], name: string) {
  const place = join(folder, name)
  mkdirSync(place)
  writeFileSync(join(place, 'tokens.json'), JSON.stringify(tokens))
  const stand = join(place, 'consul')
  const answer = `case "$*" in
'acl token list -format=json') cat ${place}/tokens.json ;;
*' read '*) exit 1 ;;
*) { printf '<%s>' "$@"; case "$*" in *'-rules -'*) cat ;; esac; echo; } >>${place}/$$.log ;;
esac`
  writeFileSync(stand, `#!/usr/bin/env bash\n${answer}\n`)
  chmodSync(stand, 0o755)
  const file = join(place, 'apply.sh')
  writeFileSync(file, script)
  const { status, stderr } = spawnSync('bash', [file], {
    env: { ...process.env, PATH: `${place}:${process.env.PATH}` },
    encoding: 'utf8',
  })
  const logs = spawnSync('bash', ['-c', `cat ${place}/*.log 2>/dev/null`], { encoding: 'utf8' }).stdout
  return { status, stderr, logs }
}

const accessor = (digit: number) => `${digit}`.repeat(8).concat('-1111-4111-8111-111111111111')
const LIST = [
  { AccessorID: accessor(1), SecretID: 'one', Description: 'x', Legacy: true },
  { AccessorID: accessor(2), SecretID: 'two', Description: 'x', Legacy: true },
  { AccessorID: accessor(3), SecretID: 'three', Description: 'x', Policies: [] },
  { AccessorID: accessor(4), SecretID: 'four', Description: 'x', Legacy: true },
  { AccessorID: '', SecretID: 'five', Description: 'not migrated yet', Legacy: true },
]
const hasJq = spawnSync('jq', ['--version']).status === 0

describe('the script for the legacy CLI', () => {
  const script = consulScript(plan)

  test('both scripts are valid, and carry no secret', () => {
    for (const text of [script, latchkeyScript(plan)]) {
      expect(spawnSync('bash', ['-n'], { input: text }).status).toBe(0)
      expect(text).not.toMatch(/^(token|management) (one|two|three|four)\b/m)
    }
  })

  test.skipIf(!hasJq)('names every token by its accessor, quotes everything, and starts nothing else', () => {
    const { status, stderr, logs } = runScript(script, LIST, 'all')
    expect(stderr).toBe('')
    expect(status).toBe(0)
    const [first, second] = plan.policies.map(({ name }) => name)
    const update = (digit: number) => `<acl><token><update><-id><${accessor(digit)}>`
    expect(logs).toContain(`${update(1)}<-upgrade-legacy><-policy-name><${first}>\n`)
    expect(logs).toContain(`${update(2)}<-upgrade-legacy>\n`)
    expect(logs).toContain(`${update(3)}<-policy-name><global-management>\n`)
    expect(logs).toContain(`${update(4)}<-upgrade-legacy><-policy-name><${second}>\n`)
    for (const { name, description, rules } of plan.policies) {
      expect(logs).toContain(
        `<acl><policy><create><-name><${name}><-description><${description}><-rules><->${rules}\n`,
      )
    }
    expect(existsSync(PWNED)).toBe(false)
  })

  test.skipIf(!hasJq)('leaves converted tokens alone, so that it can be repeated', () => {
    const converted = LIST.map(({ Legacy: _, ...token }) => ({
      ...token,
      Policies: [{ ID: '00000000-0000-0000-0000-000000000001' }],
    }))
    const { status, logs } = runScript(script, converted, 'again')
    expect(status).toBe(0)
    expect(logs).not.toContain('<token>')
  })

  test.skipIf(!hasJq).each([
    ['that is not there', LIST.slice(1), 'not found, or without an accessor'],
    [
      'whose hash another has',
      [...LIST, { ...LIST[0], AccessorID: accessor(9) }],
      'several tokens have this hash',
    ],
  ])('stops at a token %s', (name, list, message) => {
    const { status, stderr } = runScript(script, list, name.replaceAll(' ', '-'))
    expect(status).toBe(1)
    expect(stderr).toContain(`token ${hashOf('one')}: ${message}`)
  })
})
