/**
 * Random writes through every datacenter of a fleet, and the ledger of acknowledged writes. Each record has one writer, which
 * sends one write at a time, so its state is that of the last acknowledged write or of a write without an answer.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SeededRandom } from '@latchkey/testkit/random'
import type { Datacenter } from './datacenter.ts'
import { Ledger, type Listed, type Verdict } from './ledger.ts'

type Kind = 'token' | 'policy' | 'role'

interface TrafficOptions {
  readonly datacenters: readonly Datacenter[]
  readonly random: SeededRandom
  readonly writers: number
  /** Longest pause of a writer between two writes. */
  readonly calmMsMax: number
}

/** Maximum wait of a write for its answer. */
const ANSWER_MS_MAX = 15_000
/** Updates of a record between its create and its delete. */
const UPDATES_MAX = 4

export class Traffic {
  readonly refused: Record<string, number> = {}
  private readonly options: TrafficOptions
  /** By the datacenter of a Local token; `global` for all other records. */
  private readonly ledgers = new Map<string, Ledger>()
  private readonly known = new Map<string, Set<string>>()
  /** Secrets of Local tokens that were created, by datacenter. */
  private readonly localSecrets = new Map<string, string[]>()
  private isOver = false
  private crowd: readonly Promise<void>[] = []

  constructor(options: TrafficOptions) {
    this.options = options
    for (const place of ['global', ...options.datacenters.map(({ name }) => name)]) {
      this.ledgers.set(place, new Ledger())
    }
  }

  /** Begins after existing records are noted. */
  async start(): Promise<void> {
    const { datacenters, writers } = this.options
    const [primary] = datacenters
    if (primary === undefined) throw new TypeError('there is no datacenter')
    for (const datacenter of datacenters) this.known.set(datacenter.name, keysOf(await locals(datacenter)))
    this.known.set('global', keysOf(await globals(primary)))
    this.crowd = Array.from({ length: writers }, (_, i) => this.write(i))
  }

  get acknowledged(): number {
    return [...this.ledgers.values()].reduce((sum, { acknowledged }) => sum + acknowledged, 0)
  }

  /** Resolves when no write is in flight. */
  async stop(): Promise<void> {
    this.isOver = true
    await Promise.all(this.crowd)
  }

  /** Compares the records of datacenters with the acknowledged writes. */
  async verify(): Promise<Readonly<Record<string, Verdict>>> {
    const [primary] = this.options.datacenters
    if (primary === undefined) throw new TypeError('there is no datacenter')
    const verdicts: Record<string, Verdict> = { global: this.judge('global', await globals(primary)) }
    for (const datacenter of this.options.datacenters) {
      verdicts[datacenter.name] = this.judge(datacenter.name, await locals(datacenter))
    }
    return verdicts
  }

  /** Local tokens that work outside their datacenter, and unknown secrets that work. */
  async strays(): Promise<readonly string[]> {
    const { datacenters } = this.options
    const found: string[] = []
    for (const datacenter of datacenters) {
      for (const { AccessorID, SecretID } of await datacenter.ok('GET', '/acl/tokens')) {
        if (SecretID === '<hidden>' || SecretID === '')
          found.push(`${AccessorID} of ${datacenter.name} has no secret`)
      }
      for (const [home, secrets] of this.localSecrets) {
        if (home === datacenter.name) continue
        for (const secret of secrets.slice(-100)) {
          if ((await datacenter.statusOf(secret)) === 200)
            found.push(`a Local token of ${home} works in ${datacenter.name}`)
        }
      }
    }
    return found
  }

  private judge(place: string, listed: readonly Listed[]): Verdict {
    const ledger = this.ledgers.get(place)
    if (ledger === undefined) throw new TypeError(`no ledger of ${place}`)
    return ledger.verify(listed, this.known.get(place) ?? new Set())
  }

  private async write(writer: number): Promise<void> {
    const { random, datacenters, calmMsMax } = this.options
    for (let round = 0; !this.isOver; round += 1) {
      const home = random.pick(datacenters)
      const isLocal = random.below(4) === 0
      const kind: Kind = isLocal
        ? 'token'
        : random.pick(['token', 'token', 'token', 'policy', 'role'] as const)
      const place = isLocal ? home.name : 'global'
      const id = randomUUID()
      const secretId = kind === 'token' ? randomUUID() : id
      const name = `w${writer}-${round}`
      const body = (state: string) => bodyOf(kind, { id, secretId, name, state, isLocal })
      const via = () => (isLocal ? home : random.pick(datacenters))
      const rest = async () => {
        await sleep(random.below(calmMsMax))
        return !this.isOver
      }
      const send = (method: string, path: string, state: string | undefined) =>
        this.send(
          { via: via(), place, id, secretId, state },
          method,
          path,
          state === undefined ? undefined : body(state),
        )
      // The server chooses the ids of policies and roles, so a create without an answer could not be found again.
      if (kind === 'token') {
        if (!(await send('PUT', '/acl/token', '0'))) {
          await rest()
          continue
        }
        if (isLocal) this.localSecrets.set(home.name, [...(this.localSecrets.get(home.name) ?? []), secretId])
        let isFine = true
        const updates = random.below(UPDATES_MAX + 1)
        for (let i = 1; isFine && i <= updates && (await rest()); i += 1) {
          isFine = await send('PUT', `/acl/token/${id}`, String(i))
        }
        if (isFine && random.below(3) > 0 && (await rest()))
          await send('DELETE', `/acl/token/${id}`, undefined)
      } else await this.writeNamed(kind, name, via())
      await rest()
    }
  }

  /** Creates, renames and deletes a policy or role; the comparison of datacenters covers them. */
  private async writeNamed(kind: 'policy' | 'role', name: string, via: Datacenter): Promise<void> {
    const created = await this.ask(via, 'PUT', `/acl/${kind}`, bodyOf(kind, { name, state: '0' }))
    if (created?.status !== 200) return
    const { ID } = created.body
    const renamed = await this.ask(
      via,
      'PUT',
      `/acl/${kind}/${ID}`,
      bodyOf(kind, { name: `${name}-renamed`, state: '1' }),
    )
    if (renamed?.status === 200 && this.options.random.below(2) === 0) {
      await this.ask(via, 'DELETE', `/acl/${kind}/${ID}`)
    }
  }

  private async send(
    write: {
      readonly via: Datacenter
      readonly place: string
      readonly id: string
      readonly secretId: string
      readonly state: string | undefined
    },
    method: string,
    path: string,
    body: object | undefined,
  ): Promise<boolean> {
    const ledger = this.ledgers.get(write.place)
    ledger?.begin(write.id, write.secretId, write.state)
    const answer = await this.ask(write.via, method, path, body)
    if (answer?.status !== 200) return false
    ledger?.acknowledge(write.id)
    return true
  }

  private async ask(via: Datacenter, method: string, path: string, body?: object) {
    try {
      const answer = await Promise.race([
        via.call(method, path, body),
        sleep(ANSWER_MS_MAX, undefined, { ref: false }),
      ])
      const status = String(answer?.status ?? 'late')
      if (status !== '200') this.refused[status] = (this.refused[status] ?? 0) + 1
      return answer ?? undefined
    } catch {
      this.refused.none = (this.refused.none ?? 0) + 1
      return undefined
    }
  }
}

function bodyOf(
  kind: Kind,
  of: {
    readonly name: string
    readonly state: string
    readonly id?: string
    readonly secretId?: string
    readonly isLocal?: boolean
  },
): object {
  const { id, secretId, name, state, isLocal } = of
  if (kind === 'token')
    return { AccessorID: id, SecretID: secretId, Description: state, ...(isLocal ? { Local: true } : {}) }
  return kind === 'policy'
    ? { Name: name, Description: state, Rules: `key_prefix "${name}" { policy = "read" }` }
    : { Name: name, Description: state, ServiceIdentities: [{ ServiceName: name }] }
}

interface ListedToken extends Listed {
  readonly Local: boolean
}

function tokens(datacenter: Datacenter): Promise<readonly ListedToken[]> {
  return datacenter.ok('GET', '/acl/tokens?consistent')
}

async function locals(datacenter: Datacenter): Promise<readonly Listed[]> {
  return (await tokens(datacenter)).filter(({ Local }) => Local)
}

async function globals(datacenter: Datacenter): Promise<readonly Listed[]> {
  return (await tokens(datacenter)).filter(({ Local }) => !Local)
}

function keysOf(listed: readonly Listed[]): Set<string> {
  return new Set(listed.map(({ AccessorID }) => AccessorID))
}
