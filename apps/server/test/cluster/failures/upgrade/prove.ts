/**
 * UPG-01: servers of two versions run on one database under load while one version replaces the other, and back. A server
 * that cannot run on the schema says so when it starts.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Gateway } from '../../harness/gateway.ts'
import { startOwnDatabase } from '../../harness/own-database.ts'
import { MANAGEMENT, type ServerGroup, startServerGroup } from '../../harness/server-group.ts'
import { keepLedger, type Ledger } from '../ledger.ts'
import { CONTRACT, EXPAND, type Generation, laterGeneration, THIS } from './generations.ts'

/** A generation that replaces the previous one, and whether it must be refused when it starts. */
interface Step {
  readonly to: Generation
  readonly refused: 'never' | 'always'
}

interface Passage {
  readonly from: string
  readonly to: string
  readonly acknowledged: number
  /** Writes without an answer, or with a 5xx: they were in flight on a server that was replaced. */
  readonly unknown: number
  /** Tokens that differ from the acknowledged state, on any server of either version. */
  readonly wrong: readonly string[]
  /** Answers with an index below that of an earlier write. */
  readonly falls: number
  /** What a new server of the other version reported when it did not start. */
  readonly refusal: string | undefined
  readonly isExpected: boolean
}

interface UpgradeResult {
  readonly passages: readonly Passage[]
}

const CLIENTS = 8
const SERVERS = 2
/** Acknowledged writes between two steps. */
const WRITES = 200
const STEP_MS_MAX = 120_000
const LOOK_MS = 20

export async function proveUpgrade(seed: number): Promise<UpgradeResult> {
  const [expand, contract] = [await laterGeneration(EXPAND), await laterGeneration(CONTRACT)]
  const steps = [step(expand), step(THIS), step(expand), step(contract), step(expand), step(THIS, 'always')]
  try {
    return { passages: await passThrough(THIS, steps, seed) }
  } finally {
    await Promise.all([expand.remove(), contract.remove()])
  }
}

export function isUpgradeProven({ passages }: UpgradeResult): boolean {
  return passages.every(
    ({ acknowledged, wrong, falls, isExpected }) =>
      acknowledged > 0 && wrong.length + falls === 0 && isExpected,
  )
}

function step(to: Generation, refused: Step['refused'] = 'never'): Step {
  return { to, refused }
}

/** Replaces the servers of one database, one at a time, with each generation in turn. */
async function passThrough(
  first: Generation,
  steps: readonly Step[],
  seed: number,
): Promise<readonly Passage[]> {
  const database = await startOwnDatabase({ isMigrated: false })
  const mains = Array.from({ length: SERVERS }, () => first.main)
  const group = await startServerGroup({
    databaseUrl: database.url,
    count: SERVERS,
    mainOf: (place) => mains[place],
  })
  try {
    const passages: Passage[] = []
    let from = first
    for (const { to, refused } of steps) {
      process.stderr.write(`  from ${from.name} to ${to.name}\n`)
      const passed = await pass(group, mains, { from, to, refused, seed: seed + passages.length })
      const isExpected = isRefusal(passed.refusal, refused)
      passages.push({ from: from.name, to: to.name, ...passed, isExpected })
      if (passed.refusal === undefined) from = to
    }
    return passages
  } finally {
    await group.stop()
    await database.remove()
  }
}

function isRefusal(refusal: string | undefined, expected: Step['refused']): boolean {
  if (refusal === undefined) return expected !== 'always'
  return /which this server does not know: a newer server has used it/.test(refusal)
}

/** Replaces each server during writes to both. Between the steps, servers of both versions work together. */
async function pass(
  group: ServerGroup,
  mains: (string | undefined)[],
  { from, to, refused, seed }: Step & { readonly from: Generation; readonly seed: number },
): Promise<Omit<Passage, 'from' | 'to' | 'isExpected'>> {
  const { gateways } = group
  const ledger = keepLedger({ gateways, clients: CLIENTS, seed })
  let refusal: string | undefined
  const others: string[] = []
  await wrote(ledger)
  for (const [place, gateway] of gateways.entries()) {
    await group.end(place, 'SIGTERM')
    mains[place] = to.main
    refusal = await group.start(place).then(
      () => undefined,
      (error: unknown) => {
        if (refused === 'never') throw error
        return String(error)
      },
    )
    if (refusal !== undefined) {
      mains[place] = from.main
      await group.start(place)
      break
    }
    others.push(...(await writeOtherRecords(gateway, `${seed}-${place}`)))
    await wrote(ledger)
  }
  await ledger.stop()
  const { acknowledged, unknown, wrong } = await ledger.check()
  return { acknowledged, unknown, wrong: [...wrong, ...others], falls: ledger.indexes.falls, refusal }
}

async function wrote({ counts }: Ledger): Promise<void> {
  const [before, until] = [counts.acknowledged, performance.now() + STEP_MS_MAX]
  while (counts.acknowledged < before + WRITES) {
    if (performance.now() > until) throw new Error(`${STEP_MS_MAX} ms passed without ${WRITES} writes`)
    await sleep(LOOK_MS)
  }
}

/** Writes records of other kinds to a server. @returns those that it refused. */
async function writeOtherRecords(gateway: Gateway, name: string): Promise<readonly string[]> {
  const Address = '10.0.0.1'
  const requests = [
    ['/acl/policy', { Name: `p${name}`, Rules: 'key_prefix "" { policy = "read" }' }],
    ['/acl/role', { Name: `r${name}`, Policies: [{ Name: `p${name}` }] }],
    [`/kv/${name}`, 'value'],
    ['/catalog/register', { Node: `n${name}`, Address, Service: { Service: 'web' } }],
  ] as const
  const refused: string[] = []
  for (const [path, body] of requests) {
    const { status, text } = await gateway.ask({ method: 'PUT', path, token: MANAGEMENT, body })
    if (status !== 200) refused.push(`PUT ${path} answered ${status}: ${text}`)
  }
  return refused
}
