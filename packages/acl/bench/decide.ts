/**
 * Benchmarks the authorizer on 50 policies of 20 rules. Run: `node bench/decide.ts`.
 * Bounds on the median: 1 µs per decision, 2 ms to compile the set.
 */
import { type Authorizer, compileAuthorizer, parseRules, type Question } from '../src/index.ts'
import type { CompiledInput } from '../src/rules/decide/policy-source.ts'

const POLICIES = 50
const RULES_PER_POLICY = 20
const KINDS = ['key', 'service', 'node', 'session', 'event', 'query', 'agent'] as const
const LEVELS = ['read', 'write', 'deny'] as const
/** Questions timed together: one decision is below the resolution of the clock. */
const BATCH = 1_000
const BATCHES = 2_000

/** The policy of one team: its key tree, services and nodes. */
function policyText(policy: number): string {
  return Array.from({ length: RULES_PER_POLICY }, (_, rule) => {
    const kind = KINDS[(policy + rule) % KINDS.length]
    const match = rule % 3 === 0 ? '' : '_prefix'
    const segment = `team-${policy % 25}/app-${rule}${rule % 2 === 0 ? '/config' : ''}`
    return `${kind}${match} "${segment}" {\n  policy = "${LEVELS[(policy * rule) % LEVELS.length]}"\n}`
  }).join('\n')
}

const texts = Array.from({ length: POLICIES }, (_, policy) => policyText(policy))

function inputsOf(): CompiledInput[] {
  return texts.map((text, policy) => ({
    key: `p${policy}`,
    policyId: `p${policy}`,
    policyName: `p${policy}`,
    path: { via: 'policy' },
    ruleSet: parseRules(text),
  }))
}

/** Names that exist, names below a prefix, and names that nothing matches, in turn. */
function questions(): Question[] {
  return Array.from({ length: BATCH }, (_, index) => {
    const resource = KINDS[index % KINDS.length] ?? 'key'
    const known = `team-${index % 25}/app-${index % RULES_PER_POLICY}`
    const segment = [known, `${known}/config/database/password`, `other-${index}`][index % 3] ?? ''
    return { resource, segment, access: index % 2 === 0 ? 'read' : 'write' }
  })
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0
}

/** Milliseconds of each of `runs` runs, after as many warm-up runs. */
function timeMs(runs: number, work: () => unknown): number[] {
  for (let left = runs; left > 0; left--) work()
  return Array.from({ length: runs }, () => {
    const start = performance.now()
    work()
    return performance.now() - start
  })
}

/** Nanoseconds of one decision, one value per batch. */
function decisionNs(authorizer: Authorizer, asked: readonly Question[]): number[] {
  let allowed = 0
  const times = timeMs(BATCHES, () => {
    for (const question of asked) if (authorizer.decide(question)) allowed++
  })
  if (allowed === 0) throw new Error('nothing was allowed: the questions miss the rules')
  return times.map((ms) => (ms * 1e6) / asked.length)
}

const inputs = inputsOf()
const authorizer = compileAuthorizer(inputs, { defaultPolicy: 'deny' })
const asked = questions()
const below = asked.map((question) => ({ ...question, resource: 'key', access: 'write-prefix' }) as const)

const rows: [what: string, unit: string, values: number[], bound: string][] = [
  ['decide, mixed', 'ns', decisionNs(authorizer, asked), '1000'],
  ['decide, write-prefix', 'ns', decisionNs(authorizer, [...below, ...asked]), '1000'],
  [
    'explain, mixed',
    'ns',
    timeMs(BATCHES / 4, () => asked.map((question) => authorizer.explain(question))).map(
      (ms) => (ms * 1e6) / BATCH,
    ),
    '',
  ],
  [
    'compile 50 × 20 rules',
    'ms',
    timeMs(300, () => compileAuthorizer(inputs, { defaultPolicy: 'deny' })),
    '2',
  ],
  ['read 50 texts of 20 rules', 'ms', timeMs(100, inputsOf), ''],
]

console.log(`${'what'.padEnd(28)}${'median'.padStart(12)}${'p99'.padStart(12)}${'bound'.padStart(12)}`)
for (const [what, unit, values, bound] of rows) {
  const digits = unit === 'ms' ? 3 : 0
  const cell = (value: number) => `${value.toFixed(digits)} ${unit}`.padStart(12)
  const limit = bound === '' ? '' : `${bound} ${unit}`
  console.log(
    `${what.padEnd(28)}${cell(quantile(values, 0.5))}${cell(quantile(values, 0.99))}${limit.padStart(12)}`,
  )
}
