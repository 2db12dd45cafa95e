/**
 * Acknowledged writes that the store must keep (DUR-01 to DUR-04). One client owns each token, so the token's state is that
 * client's last acknowledged write. A write without an answer may have happened, entirely or not at all, until a later one
 * is acknowledged.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Token } from '@latchkey/contract'
import { SeededRandom } from '@latchkey/testkit/random'
import { type Gateway, NoAnswer, type Request } from '../harness/gateway.ts'
import { MANAGEMENT } from '../harness/server-group.ts'

/** Every write stores one mark in two fields of a token. Undefined: the token does not exist. */
type Mark = string | undefined

interface Page {
  readonly accessorId: string
  readonly secretId: string
  /** Possible marks: the last acknowledged one, and later ones with an unknown outcome. */
  may: Mark[]
}

export interface LedgerResult {
  readonly acknowledged: number
  readonly unknown: number
  /** Tokens that differ from the acknowledged state, described in words. */
  readonly wrong: readonly string[]
}

export interface Ledger {
  /** Writes until stopped. */
  stop(): Promise<void>
  /** Pauses between two writes, once no write is in flight. @returns a function that resumes. */
  rest(): Promise<() => void>
  readonly counts: { acknowledged: number; unknown: number }
  /** The highest index seen, and the number of answers with an index below that of an earlier acknowledged write. */
  readonly indexes: { highest: number; falls: number }
  /** Compares all tokens with the answers through every gateway. */
  check(): Promise<LedgerResult>
}

const TOKENS_PER_CLIENT = 12
const PAUSE_MS = 5

export function keepLedger(options: {
  readonly gateways: readonly Gateway[]
  readonly clients: number
  readonly seed: number
}): Ledger {
  const { gateways, clients, seed } = options
  const counts = { acknowledged: 0, unknown: 0 }
  const indexes = { highest: 0, falls: 0 }
  const pages: Page[] = []
  const contradictions: string[] = []
  let isStopping = false
  let rest: Promise<void> | undefined
  let resting = 0

  const write = async (page: Page, random: SeededRandom): Promise<void> => {
    const mark = `m${counts.acknowledged}-${random.below(2 ** 32)}`
    const isThere = page.may.at(-1) !== undefined
    const isDelete = isThere && random.chance(1 / 5)
    const request = isDelete ? removal(page) : put(page, mark, isThere)
    const before = indexes.highest
    const reply = await random
      .pick(gateways)
      .ask(request)
      .catch((error: unknown) => (error instanceof NoAnswer && !error.maybeApplied ? 'not sent' : undefined))
    if (reply === 'not sent') return sleep(PAUSE_MS)
    const status = reply?.status ?? 500
    if (status >= 500) {
      counts.unknown += 1
      page.may.push(isDelete ? undefined : mark)
      return sleep(PAUSE_MS)
    }
    if (status === 200) {
      counts.acknowledged += 1
      page.may = [isDelete ? undefined : mark]
      if (!isDelete && reply) {
        const { ModifyIndex } = JSON.parse(reply.text) as Token
        if (ModifyIndex <= before) indexes.falls += 1
        indexes.highest = Math.max(indexes.highest, ModifyIndex)
      }
      return
    }
    // A refusal reveals whether a write without an answer happened.
    if (status !== (isThere ? 404 : 409))
      throw new Error(`${request.method} answered ${status}: ${reply?.text}`)
    const may = page.may.filter((held) => (held === undefined) === isThere)
    if (may.length === 0)
      contradictions.push(`${page.accessorId}: ${status}, and it must be ${page.may.join(', ')}`)
    page.may = may
  }
  const run = async (client: number) => {
    const random = new SeededRandom(seed + client)
    const own = Array.from({ length: TOKENS_PER_CLIENT }, () => aPage())
    pages.push(...own)
    while (!isStopping) {
      if (!rest) {
        await write(random.pick(own), random)
        continue
      }
      resting += 1
      await rest
      resting -= 1
    }
  }
  const running = Promise.all(Array.from({ length: clients }, (_, client) => run(client)))
  running.catch(() => {})
  return {
    counts,
    indexes,
    stop: async () => {
      isStopping = true
      await running
    },
    rest: async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      rest = promise
      while (resting < clients) await sleep(PAUSE_MS)
      return () => {
        rest = undefined
        resolve()
      }
    },
    check: async () => {
      const wrong = await Promise.all(gateways.map((gateway) => differences(gateway, pages)))
      return { ...counts, wrong: [...contradictions, ...wrong.flat()] }
    },
  }
}

function aPage(): Page {
  return { accessorId: randomUUID(), secretId: randomUUID(), may: [undefined] }
}

function put({ accessorId, secretId }: Page, mark: string, isThere: boolean): Request {
  const content = { Description: mark, ServiceIdentities: [{ ServiceName: mark }] }
  if (isThere) return { method: 'PUT', path: `/acl/token/${accessorId}`, token: MANAGEMENT, body: content }
  const body = { AccessorID: accessorId, SecretID: secretId, ...content }
  return { method: 'PUT', path: '/acl/token', token: MANAGEMENT, body }
}

function removal({ accessorId }: Page): Request {
  return { method: 'DELETE', path: `/acl/token/${accessorId}`, token: MANAGEMENT }
}

async function differences(gateway: Gateway, pages: readonly Page[]): Promise<string[]> {
  const reply = await gateway.ask({ method: 'GET', path: '/acl/tokens?consistent', token: MANAGEMENT })
  if (reply.status !== 200) return [`the list answered ${reply.status}: ${reply.text}`]
  const tokens = new Map((JSON.parse(reply.text) as Token[]).map((token) => [token.AccessorID, token]))
  return pages.flatMap(({ accessorId, secretId, may }) => {
    const token = tokens.get(accessorId)
    const mark = token?.Description
    if (!may.includes(mark)) return [`${accessorId} is ${mark}, and must be one of ${may.join(', ')}`]
    if (!token) return []
    const isWhole = token.ServiceIdentities?.[0]?.ServiceName === mark && token.SecretID === secretId
    return isWhole ? [] : [`${accessorId} is half of one write and half of another`]
  })
}
