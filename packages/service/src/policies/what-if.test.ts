import { limits } from '@latchkey/contract'
import { aWorld, MANAGEMENT, WANTS_PROBLEM, type World } from '@latchkey/testkit/service/world'
import { describe, expect, test } from 'vitest'

interface Change {
  readonly AccessorID: string
}

const NEXT = 'X-Service-Next-Cursor'

/** A policy with these rules, and tokens that link it. */
async function aPolicyWithTokens(Rules: string, tokenCount: number) {
  const world = await aWorld()
  const { ID } = await world.policy({ Name: 'judged', Rules })
  const accessorIds: string[] = []
  for (let i = 0; i < tokenCount; i++) {
    accessorIds.push((await world.token({ Policies: [{ ID }] })).AccessorID)
  }
  const ask = (rules: string, query = '') =>
    world.ask('POST', `/acl/policy/${ID}/what-if${query}`, {
      token: MANAGEMENT,
      body: { Rules: rules },
      headers: WANTS_PROBLEM,
    })
  return { world, ID, accessorIds, ask }
}

function keys(level: string, count: number): string {
  return Array.from({ length: count }, (_, i) => `key "${i}" { policy = "${level}" }`).join('\n')
}

/** Follows the cursors to the end. */
async function pagesOf(ask: (query: string) => ReturnType<World['ask']>): Promise<Change[][]> {
  const pages: Change[][] = []
  let query = ''
  do {
    const { status, json, headers } = await ask(query)
    expect(status).toBe(200)
    pages.push(json as Change[])
    query = headers[NEXT] === undefined ? '' : `?cursor=${headers[NEXT]}`
  } while (query !== '')
  return pages
}

describe('what-if', () => {
  test('answers in pages', async () => {
    const { accessorIds, ask } = await aPolicyWithTokens('acl = "read"', 3)
    const first = await ask('', '?limit=2')
    expect(first.json).toHaveLength(2)
    const second = await ask('', `?limit=2&cursor=${first.headers[NEXT]}`)
    expect(second.json).toMatchObject([{ AccessorID: accessorIds[2] }])
    expect(second.headers[NEXT]).toBeUndefined()
  })

  test('a page with long entries ends early, and the cursor continues', async () => {
    const rules = `key "${'a'.repeat(100_000)}" { policy = "write" }`
    const { accessorIds, ask } = await aPolicyWithTokens(rules, 7)
    const pages = await pagesOf((query) => ask('', query))
    // Each token loses three rights of 100,000 characters.
    expect(pages.map((page) => page.length)).toEqual([4, 3])
    expect(pages.flat().map(({ AccessorID }) => AccessorID)).toEqual(accessorIds)
  })

  test('a page ends early after many comparisons, even if empty', async () => {
    const { world, ID, ask } = await aPolicyWithTokens(keys('write', 2_000), 0)
    const all = await world.policy({ Name: 'all', Rules: 'key_prefix "" { policy = "write" }' })
    // Each token has its own set of policies, and would lose nothing.
    for (let i = 0; i < 60; i++) {
      const own = await world.policy({ Name: `own-${i}`, Rules: 'acl = "read"' })
      await world.token({ Policies: [{ ID }, { ID: all.ID }, { ID: own.ID }] })
    }
    const pages = await pagesOf((query) => ask('', query))
    expect(pages.length).toBeGreaterThan(1)
    expect(pages.flat()).toEqual([])
  })

  test('400 batch_too_large, with field and bound: rules that differ too much', async () => {
    const { ask } = await aPolicyWithTokens('', 1)
    const most = limits.WHAT_IF_QUESTIONS_MAX / 4
    expect((await ask(keys('read', most))).json).toMatchObject([{ Gains: { length: most } }])
    const refused = await ask(keys('read', most + 1))
    expect(refused.json).toMatchObject({ status: 400, code: 'batch_too_large', field: 'Rules' })
    expect(refused.text).toContain(String(limits.WHAT_IF_QUESTIONS_MAX))
  })
})
