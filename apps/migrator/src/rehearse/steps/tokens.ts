/** The legacy tokens of a rehearsal: the writes to them, and their expected final content. Spec 9.2.4. */
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
  edits = 0

  constructor(tokens: readonly LegacyToken[]) {
    for (const token of tokens) this.add(token)
  }

  get tokens(): readonly LegacyToken[] {
    return [...this.held.values()].flatMap(({ token, state }) => (state === 'deleted' ? [] : [token]))
  }

  async write(client: () => Client, step: TokenStep): Promise<readonly TokenWrite[]> {
    switch (step.kind) {
      case 'create-tokens': {
        const { count, type, rules } = step
        const fresh = generateTokens([{ type, count, rules, unwritable: false }])
        return this.each(step, fresh, async (token) => {
          await client().legacy.create(requestOf(token))
          this.add(token)
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

  async check(client: Client) {
    const found = await readTokens(client)
    const accessors = new Set([...found.values()].map(({ AccessorID }) => AccessorID))
    const expected = [...this.held.values()].filter(({ state }) => state !== 'deleted')
    const count = (fails: (held: Held) => boolean) => expected.filter(fails).length
    return {
      tokens: found.size,
      accessors: accessors.size,
      lost: count(({ token }) => !found.has(token.ID)),
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

  private async edit(
    client: () => Client,
    token: LegacyToken,
    step: ScenarioEventOf<'edit-tokens'>,
  ): Promise<void> {
    const Type = step.becomes ?? token.Type
    const edited = `${token.Name} (edited)`
    const isNew = step.api === 'new' && !step.racing
    // The token API drops legacy rules and types. A token that becomes a client gets rules that grant something.
    const change = isNew
      ? { Type: 'client' as const, Rules: '' }
      : { Type, Rules: token.Type === Type ? token.Rules : token.Rules || RULES }
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

  /** Performs a step as one write per token, because a batch may run between two writes. */
  private async each(
    step: Exclude<TokenStep, { kind: 'convert-tokens' }>,
    tokens: readonly LegacyToken[],
    write: (token: LegacyToken) => Promise<void>,
  ): Promise<readonly TokenWrite[]> {
    const writes: TokenWrite[] = []
    for (const token of tokens) {
      // A written token that the step no longer chooses is not skipped by the next write.
      const skipped = writes.filter((each) => !leavesChoice(step) || each.refused !== undefined).length
      const one = 'offset' in step ? { ...step, offset: step.offset + skipped } : step
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

  private async pick(
    client: () => Client,
    event: ScenarioEventOf<'edit-tokens' | 'delete-tokens'>,
  ): Promise<readonly LegacyToken[]> {
    const { count, offset, type } = event
    const wanted = event.kind === 'edit-tokens' && event.racing ? 'unmigrated' : event.state
    const tokens = this.tokens.filter(({ Type }) => type === undefined || Type === type)
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
    const clients = [...this.held.values()]
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

function leavesChoice(step: Exclude<TokenStep, { kind: 'convert-tokens' }>): boolean {
  if (step.kind !== 'edit-tokens') return true
  return step.type !== undefined && step.becomes !== undefined && step.becomes !== step.type
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
