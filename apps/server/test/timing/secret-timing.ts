/**
 * TIM-01: how long a refusal takes says nothing about the secrets that exist. Secrets that were never issued are
 * presented, each once: random ones, and others that share more and more of their beginning with the secret of a living
 * token. Their order is random, so whatever else the machine does meets all kinds alike.
 */
import { randomUUID } from 'node:crypto'
import type { SeededRandom } from '@latchkey/testkit/random'
import type { Request } from '../cluster/door.ts'
import { MANAGEMENT } from '../cluster/server-group.ts'
import { compareTimes, type Difference, T_MAX } from './welch.ts'

/** What it takes of a door or of a node. */
type Ask = (request: Request) => Promise<{ readonly status: number; readonly text: string }>

export interface TimingOptions {
  readonly ask: Ask
  readonly random: SeededRandom
  /** Requests with a secret of each kind. */
  readonly rounds: number
  /** Of living tokens. */
  readonly secrets: readonly string[]
}

export interface TimingFigures {
  readonly rounds: number
  /** Each kind against random secrets; differences in nanoseconds. */
  readonly kinds: Readonly<Record<string, Difference>>
  /** Kinds that took another time than random ones. */
  readonly telling: readonly string[]
}

/** How much all of them have in common: a guess that is this far is near to each. */
const SHARED_CHARACTERS = 24
/** Before caches are warm and code is compiled, times say little. */
const WARM_UP_ROUNDS = 200

/** Makes tokens whose secrets all begin alike. */
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
      if (status !== 200) throw new Error(`a token was not made: ${status} ${text}`)
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
    // Any more, and guesses repeat; what was asked before is answered from memory.
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
      if (status !== 403) throw new Error(`a secret that was never issued is answered ${status}`)
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
