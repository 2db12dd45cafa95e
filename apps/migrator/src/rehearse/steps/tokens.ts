/** The tokens of a rehearsal: the writes to them, and their expected final content. Spec 9.2.4. */
import { randomUUID } from 'node:crypto'
import { ANONYMOUS_TOKEN_SECRET_ID } from '@latchkey/acl'
import type { LegacyToken } from '@latchkey/contract'
import { type Client, LatchkeyError, type TokenListEntry, Unavailable } from '@latchkey/sdk'
import type { ScenarioEventOf, TokenGroup } from '../../scenario/scenario.ts'

export type Found = TokenListEntry

type TokenStep = ScenarioEventOf<'create-tokens' | 'edit-tokens' | 'delete-tokens' | 'convert-tokens'>

interface Held {
  readonly token: LegacyToken
  /** The names that the token may have; several if it is unknown whether a write was applied. */
  readonly names: readonly string[]
  readonly state: 'legacy' | 'converted' | 'deleted'
}

/** A token that the token API created. Without legacy rules or a policy, only the default policy applies to it. */
interface CreatedToken {
  readonly token: LegacyToken
  readonly accessorId: string
  /** The only datacenter that has it; undefined for a global token. */
  readonly localTo: string | undefined
}

interface TokenWrite {
  readonly step: TokenStep
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly answeredAt: number
  readonly refused: string | undefined
}

export type TokenFaults = Awaited<ReturnType<TokenBook['check']>>

const CONCURRENCY = 8
const RULES = 'key "app/" { policy = "write" }'

export class TokenBook {
  private readonly held = new Map<string, Held>()
  private readonly created: CreatedToken[] = []
  /** Every ID in the order in which the servers assign accessors, with those of the tokens that they created. */
  private readonly order: string[]
  edits = 0

  /** @param inOrder the same tokens and those that the servers created, in the order of the migration. */
  constructor(tokens: readonly LegacyToken[], inOrder: readonly LegacyToken[]) {
    for (const token of tokens) this.add(token)
    this.order = inOrder.map(({ ID }) => ID)
  }

  get tokens(): readonly LegacyToken[] {
    return [...this.held.values()].flatMap(({ token, state }) => (state === 'deleted' ? [] : [token]))
  }

  async write(client: () => Client, step: TokenStep): Promise<readonly TokenWrite[]> {
    switch (step.kind) {
      case 'create-tokens': {
        const { count, type, rules, api } = step
        const isNew = api === 'new'
        const group = isNew ? { type: 'client' as const, rules: '' } : { type, rules }
        const fresh = generateTokens([{ ...group, count, unwritable: false }])
        return this.each(step, fresh, async (token) => {
          if (isNew) {
            await this.createAsNew(client(), token, step)
            return
          }
          await client().legacy.create(requestOf(token))
          this.add(token)
          this.order.push(token.ID)
        })
      }
      case 'edit-tokens':
        return this.each(step, await this.pick(client, step), (token) => this.edit(client, token, step))
      case 'delete-tokens':
        return this.each(step, await this.pick(client, step), async (token) => {
          if (step.api === 'legacy') await client().legacy.destroy(token.ID)
          else await client().tokens.delete(await accessorOf(client(), token))
          this.mark(token, { state: 'deleted' })
        })
      case 'convert-tokens':
        return [await timed(step, () => this.convert(client(), step.count))]
    }
  }

  /** Tokens that a datacenter should have, with their legacy rules. */
  tokensIn(datacenter: string): readonly LegacyToken[] {
    const created = this.created.filter(({ localTo = datacenter }) => localTo === datacenter)
    return [...this.tokens, ...created.map(({ token }) => token)]
  }

  /** How many tokens of the token API a datacenter lacks, or has although they are local to another. */
  misplaced(found: ReadonlyMap<string, Found>, datacenter: string): number {
    return this.created.filter(({ token, accessorId, localTo = datacenter }) => {
      const here = found.get(token.ID)
      return localTo === datacenter ? here?.AccessorID !== accessorId : here !== undefined
    }).length
  }

  async check(client: Client, datacenter: string) {
    const found = await readTokens(client)
    const accessors = new Set([...found.values()].map(({ AccessorID }) => AccessorID))
    const expected = [...this.held.values()].filter(({ state }) => state !== 'deleted')
    const count = (fails: (held: Held) => boolean) => expected.filter(fails).length
    return {
      tokens: found.size,
      accessors: accessors.size,
      lost: count(({ token }) => !found.has(token.ID)),
      misplaced: this.misplaced(found, datacenter),
      withoutAccessor: [...found.values()].filter(({ AccessorID }) => AccessorID === '').length,
      returned: [...this.held.values()].filter(
        ({ state, token }) => state === 'deleted' && found.has(token.ID),
      ).length,
      lostEdits: count(({ token, names }) => {
        const name = found.get(token.ID)?.Description
        return name !== undefined && !names.includes(name)
      }),
    }
  }

  private add(token: LegacyToken): void {
    this.held.set(token.ID, { token, names: [token.Name], state: 'legacy' })
  }

  private mark(token: LegacyToken, change: Partial<Held>): void {
    const held = this.held.get(token.ID)
    if (held !== undefined) this.held.set(token.ID, { ...held, ...change })
  }

  private async createAsNew(
    client: Client,
    { Name, ...token }: LegacyToken,
    { local: Local, datacenter }: ScenarioEventOf<'create-tokens'>,
  ): Promise<void> {
    const { AccessorID, SecretID: ID } = await client.tokens.create({ Description: Name, Local })
    const localTo = Local ? datacenter : undefined
    this.created.push({ token: { ...token, Name, ID }, accessorId: AccessorID, localTo })
  }

  private async edit(
    client: () => Client,
    token: LegacyToken,
    step: ScenarioEventOf<'edit-tokens'>,
  ): Promise<void> {
    const Type = step.becomes ?? token.Type
    const edited = `${token.Name} (edited)`
    const isNew = step.api === 'new' && !step.racing
    // A token that becomes a client gets rules that grant something.
    const Rules =
      (Type === 'client' ? step.rules : undefined) ?? (token.Rules || (token.Type === Type ? '' : RULES))
    // The token API drops legacy rules and types.
    const change = isNew ? { Type: 'client' as const, Rules: '' } : { Type, Rules }
    const after = { ...token, ...change, Name: edited }
    try {
      if (isNew) {
        const Rules = step.sendsRules ? { Rules: token.Rules } : {}
        await client().tokens.update(await accessorOf(client(), token), { Description: edited, ...Rules })
      } else await client().legacy.update(requestOf(after))
      this.mark(token, { token: after, names: [edited], ...(isNew ? { state: 'converted' } : {}) })
      this.edits += 1
    } catch (error) {
      if (error instanceof LatchkeyError && error.maybeApplied)
        this.mark(token, { names: [token.Name, edited] })
      throw error
    }
  }

  /**
   * Performs a step as one write per token, because a batch may run between two writes. The simulation gets the place of
   * each token, because a batch may also change which tokens a step would choose.
   */
  private async each(
    step: Exclude<TokenStep, { kind: 'convert-tokens' }>,
    tokens: readonly LegacyToken[],
    write: (token: LegacyToken) => Promise<void>,
  ): Promise<readonly TokenWrite[]> {
    const writes: TokenWrite[] = []
    for (const [i, token] of tokens.entries()) {
      const one =
        step.kind === 'create-tokens'
          ? step
          : step.kind === 'edit-tokens' && step.racing
            ? { ...step, offset: step.offset + i }
            : { ...step, state: 'any' as const, type: undefined, offset: this.placeOf(token) }
      const refusal = () =>
        write(token).then(
          () => undefined,
          (error: unknown) => {
            if (!(error instanceof LatchkeyError || error instanceof NotAddressable)) throw error
            return error.message
          },
        )
      writes.push(await timed({ ...one, count: 1 }, refusal))
    }
    return writes
  }

  private legacyInOrder(): readonly LegacyToken[] {
    const held = this.order.flatMap((id) => this.held.get(id) ?? [])
    return held.flatMap(({ token, state }) => (state === 'deleted' ? [] : [token]))
  }

  private placeOf({ ID }: LegacyToken): number {
    return this.order.filter((id) => this.held.get(id)?.state !== 'deleted').indexOf(ID)
  }

  private async pick(
    client: () => Client,
    event: ScenarioEventOf<'edit-tokens' | 'delete-tokens'>,
  ): Promise<readonly LegacyToken[]> {
    const { count, offset, type } = event
    const wanted = event.kind === 'edit-tokens' && event.racing ? 'unmigrated' : event.state
    const tokens = this.legacyInOrder().filter((token) => type === undefined || token.Type === type)
    if (wanted === 'any') return tokens.slice(offset, offset + count)
    const found = await readTokens(client()).catch(noneInLegacyMode)
    return tokens
      .filter(({ ID }) => {
        const isMigrated = (found.get(ID)?.AccessorID ?? '') !== ''
        return isMigrated === (wanted === 'migrated')
      })
      .slice(offset, offset + count)
  }

  private async convert(client: Client, count: number | undefined): Promise<string | undefined> {
    const found = await readTokens(client).catch(noneInLegacyMode)
    const isMigrated = ({ ID }: LegacyToken) => (found.get(ID)?.AccessorID ?? '') !== ''
    const clients = this.order
      .flatMap((id) => this.held.get(id) ?? [])
      .filter(({ token, state }) => state === 'legacy' && token.Type === 'client' && isMigrated(token))
      .slice(0, count)
    const policies = new Map<string, Promise<string>>()
    const policyOf = async (rules: string) => {
      const Name = `rehearsal-${policies.size}`
      const Rules = await client.legacy.translate(rules)
      return (await repeated(() => client.policies.ensure({ Name, Rules }))).ID
    }
    let refused: string | undefined
    const queue = clients.values()
    const work = async () => {
      for (const { token } of queue) {
        const { AccessorID = '' } = found.get(token.ID) ?? {}
        const policy = policies.get(token.Rules) ?? policyOf(token.Rules)
        policies.set(token.Rules, policy)
        try {
          const Policies = [{ ID: await policy }]
          await client.tokens.update(AccessorID, { Description: token.Name, Policies })
          this.mark(token, { state: 'converted' })
        } catch (error) {
          if (!(error instanceof LatchkeyError)) throw error
          refused = error.message
        }
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, work))
    return refused
  }
}

/** A write through the token API of a token that has no address there. */
class NotAddressable extends Error {}

async function accessorOf(client: Client, { ID }: LegacyToken): Promise<string> {
  const secret = ID === ANONYMOUS_TOKEN_SECRET_ID ? undefined : ID
  const { AccessorID } = await client.withToken(secret).tokens.self()
  if (AccessorID === '') throw new NotAddressable('the token has no accessor yet')
  return AccessorID
}

const ATTEMPTS_MAX = 5

/** Retries an idempotent call while a stalled service fails it. */
async function repeated<T>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof Unavailable) || attempt === ATTEMPTS_MAX) throw error
    }
  }
}

async function timed(step: TokenStep, write: () => Promise<string | undefined>): Promise<TokenWrite> {
  const at = Date.now()
  const refused = await write()
  return { step, at, answeredAt: Date.now(), refused }
}

export function generateTokens(groups: readonly TokenGroup[]): LegacyToken[] {
  return groups.flatMap(({ type, count, rules }) =>
    Array.from({ length: count }, (_, i) => ({
      CreateIndex: 0,
      ModifyIndex: 0,
      ID: randomUUID(),
      Name: `token ${i}`,
      Type: type,
      Rules: type === 'management' ? '' : (rules ?? `key "app/${i % 100}/" { policy = "write" }`),
    })),
  )
}

function requestOf({ ID, Name, Type, Rules }: LegacyToken) {
  return { ID, Name, Type, Rules }
}

/** No tokens if the token API is unavailable, in legacy mode or before 1.4.0: no token has an accessor then. */
function noneInLegacyMode(error: unknown): ReadonlyMap<string, Found> {
  if (error instanceof LatchkeyError && (error.code === 'legacy_mode' || error.code === 'endpoint_unknown'))
    return new Map()
  throw error
}

export async function readTokens(client: Client): Promise<ReadonlyMap<string, Found>> {
  const found = new Map<string, Found>()
  for await (const token of client.tokens.each()) found.set(token.SecretID, token)
  return found
}
