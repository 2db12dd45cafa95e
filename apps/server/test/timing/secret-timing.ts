/**
 * TIM-01: the duration of a refusal reveals nothing about existing secrets. The test presents secrets that were never
 * issued, each once: random ones, and others that share longer and longer prefixes with the secret of a live
 * token. Their order is random, so other load on the machine affects all kinds alike.
 */
import { randomUUID } from 'node:crypto'
import type { SeededRandom } from '@latchkey/testkit/random'
import type { Request } from '../cluster/harness/gateway.ts'
import { MANAGEMENT } from '../cluster/harness/server-group.ts'
import { compareTimes, type Difference, T_MAX } from './welch.ts'

/** Sends one request, in process or over HTTP. */
type Ask = (request: Request) => Promise<{ readonly status: number; readonly text: string }>

interface TimingOptions {
  readonly ask: Ask
  readonly random: SeededRandom
  /** Requests with a secret of each kind. */
  readonly rounds: number
  /** Number of live tokens. */
  readonly secrets: readonly string[]
}

interface TimingFigures {
  readonly rounds: number
  /** Each kind against random secrets; differences in nanoseconds. */
  readonly kinds: Readonly<Record<string, Difference>>
  /** Kinds whose time differs from that of random secrets. */
  readonly telling: readonly string[]
}

/** Length of the prefix that all of them share: a guess with this prefix is close to each. */
const SHARED_CHARACTERS = 24
/** Rounds that warm caches and compile code before the measurement. */
const WARM_UP_ROUNDS = 200

/** Creates tokens whose secrets share a prefix. */
export async function makeAlikeSecrets(ask: Ask, count: number): Promise<readonly string[]> {
  const beginning = randomUUID().slice(0, SHARED_CHARACTERS)
  const secrets = Array.from({ length: count }, () => beginning + randomUUID().slice(SHARED_CHARACTERS))
  await Promise.all(
    secrets.map(async (SecretID) => {
      const { status, text } = await ask({
        method: 'PUT',
        path: '/acl/token',
        token: MANAGEMENT,
        body: { SecretID },
      })
      if (status !== 200) throw new Error(`creating a token failed: ${status} ${text}`)
    }),
  )
  return secrets
}

export async function measureSecretTiming({
  ask,
  random,
  rounds,
  secrets,
}: TimingOptions): Promise<TimingFigures> {
  const near = (shared: number) => () => random.pick(secrets).slice(0, shared) + randomUUID().slice(shared)
  const kinds: Readonly<Record<string, () => string>> = {
    random: () => randomUUID(),
    'shares 8 characters': near(8),
    'shares 24 characters': near(SHARED_CHARACTERS),
    // With more, guesses would repeat, and repeated ones are answered from memory.
    'shares 30 characters': near(30),
    'random again': () => randomUUID(),
  }
  const times = new Map(Object.keys(kinds).map((kind) => [kind, [] as number[]]))
  const order = Object.entries(kinds)
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (const [kind, secret] of random.shuffled(order)) {
      const token = secret()
      const startedAt = process.hrtime.bigint()
      const { status } = await ask({ method: 'GET', path: '/acl/token/self', token })
      const nanoseconds = Number(process.hrtime.bigint() - startedAt)
      if (status !== 403) throw new Error(`a secret that was never issued got ${status}`)
      if (round >= 0) times.get(kind)?.push(nanoseconds)
    }
  }
  const { random: reference = [], ...others } = Object.fromEntries(times)
  const differences = Object.fromEntries(
    Object.entries(others).map(([kind, samples]) => [kind, compareTimes(samples, reference)]),
  )
  const telling = Object.keys(differences).filter((kind) => Math.abs(differences[kind]?.t ?? 0) >= T_MAX)
  return { rounds, kinds: differences, telling }
}
