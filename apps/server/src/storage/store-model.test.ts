import type { TokenRecord } from '@latchkey/acl'
import { byListOrder, type Change, MemoryStore, type Store, StoreConflict } from '@latchkey/service'
import { aKey, aNamespace, anId, aPolicy, aRole, aToken } from '@latchkey/testkit/records/record-builders'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { openTestStore } from '../../test/store.ts'

/** The expectation of a change, without an index, because indexes differ between the stores. */
type Expectation = 'absent' | 'any' | 'current' | 'wrong'

interface Step {
  readonly table: 'tokens' | 'policies' | 'roles' | 'kv' | 'namespaces'
  readonly op: 'put' | 'delete' | 'delete-tree'
  /** One of a few records, so that changes collide, with its second claim besides the id: an accessor or a name. */
  readonly record: number
  readonly claim: number
  readonly expectation: Expectation
  readonly text: string
}

const RECORDS = 4
const step: fc.Arbitrary<Step> = fc.record({
  table: fc.constantFrom('tokens', 'tokens', 'tokens', 'policies', 'roles', 'kv', 'namespaces'),
  op: fc.constantFrom('put', 'put', 'put', 'delete', 'delete-tree'),
  record: fc.nat(RECORDS - 1),
  claim: fc.nat(RECORDS),
  expectation: fc.constantFrom('absent', 'absent', 'any', 'current', 'current', 'wrong'),
  text: fc.string({ unit: 'binary', maxLength: 8 }),
})
/** A commit changes a record once, except for a token that it deletes and creates again. */
const oneCommit = fc.uniqueArray(step, {
  minLength: 1,
  maxLength: 5,
  selector: ({ table, record, op }) => {
    // A run has one namespace.
    if (table === 'namespaces') return table
    return table === 'tokens' ? `${table}/${record}/${op === 'put'}` : `${table}/${record}`
  },
})
const commits = fc.array(oneCommit, { minLength: 1, maxLength: 20 })

const MAKE_NAMESPACE: Step = {
  table: 'namespaces',
  op: 'put',
  record: 0,
  claim: 0,
  expectation: 'absent',
  text: '',
}

/** One store under comparison, and the indexes that it assigned, in order. */
interface Side {
  readonly store: Store
  readonly indexes: number[]
}

let runs = 0

/** Most commits change the directory, which takes several statements each. */
const TIMEOUT_MS = 300_000

test(
  'behaves as the memory store under random commits: outcomes, conflicts, records and their order',
  async () => {
    const postgres = await openTestStore()
    const uncached = await openTestStore({ isCaching: false })
    const property = fc.asyncProperty(commits, fc.nat(3), async (written, n) => {
      runs += 1
      const memory: Side = { store: new MemoryStore({ after: () => () => {} }), indexes: [] }
      const sides: Side[] = [memory, { store: postgres, indexes: [] }, { store: uncached, indexes: [] }]
      // Most runs begin with their namespace.
      const script = n > 0 ? [[MAKE_NAMESPACE], ...written] : written
      for (const steps of script) {
        const outcomes: string[] = []
        for (const side of sides) outcomes.push(await commit(side, steps))
        expect(outcomes).toEqual(outcomes.map(() => outcomes[0]))
        const [expected, ...others] = await Promise.all(sides.map(show))
        for (const shown of others) expect(shown).toEqual(expected)
      }
    })
    await fc.assert(property, { numRuns: 25 })
  },
  TIMEOUT_MS,
)

async function commit({ store, indexes }: Side, steps: readonly Step[]): Promise<string> {
  const changes: Change[] = []
  for (const step of steps) changes.push(await changeOf(step, store, steps))
  try {
    indexes.push(await store.commit(changes))
    return 'committed'
  } catch (error) {
    if (error instanceof StoreConflict) return error.reason
    throw error
  }
}

const id = (kind: number, number: number) => anId(runs * 0x10000 + kind * 0x100 + number)
const namespace = () => `run-${runs}`
/** Accessors 0 and 1 are also secrets. Secret 3 is secret 2 in upper case. */
const secretOf = (number: number) => (number === 3 ? id(0xa, 2).toUpperCase() : id(0xa, number))
const accessorOf = (claim: number) => (claim === RECORDS ? '' : claim < 2 ? secretOf(claim) : id(2, claim))

async function changeOf(step: Step, store: Store, steps: readonly Step[]): Promise<Change> {
  const { table, record, claim, text } = step
  const Namespace = namespace()
  const op = step.op === 'delete-tree' ? 'delete' : step.op
  switch (table) {
    case 'tokens': {
      const SecretID = secretOf(record)
      const stored = await store.tokenBySecret(SecretID)
      const isReplaced = steps.some((other) => isDeleteOf(other, record))
      const existing = op === 'put' && isReplaced ? undefined : stored
      // An accessor is never replaced by another one, but a token without an accessor may get one.
      const AccessorID = existing?.AccessorID || accessorOf(claim)
      const fields = { SecretID, AccessorID, Namespace, Description: text, Policies: [{ ID: id(3, claim) }] }
      return { table, op, record: aToken(fields), expect: expected(step, existing) }
    }
    case 'policies': {
      const fields = { ID: id(3, record), Name: `${text ? 'name' : 'NAME'}-${claim}`, Namespace, Rules: text }
      return {
        table,
        op,
        record: aPolicy(fields),
        expect: expected(step, store.directory().policy(id(3, record))),
      }
    }
    case 'roles': {
      const fields = { ID: id(4, record), Name: `name-${claim}`, Namespace, Description: text }
      return {
        table,
        op,
        record: aRole(fields),
        expect: expected(step, store.directory().role(id(4, record))),
      }
    }
    case 'namespaces': {
      const record = aNamespace({ Name: Namespace, Description: text })
      const existing = store.directory().namespace(Namespace)
      return { table, op, record, expect: expected(step, existing) }
    }
    case 'kv': {
      const Key = `${'ab'[record % 2]}/${text.toWellFormed()}`
      if (step.op === 'delete-tree')
        return { table, op: 'delete-tree', namespace: Namespace, prefix: Key.slice(0, 3) }
      const existing = await store.kvEntry(Namespace, Key)
      return {
        table,
        op,
        record: aKey({ Key, Namespace, Flags: BigInt(claim) }),
        expect: expected(step, existing),
      }
    }
  }
}

function isDeleteOf({ table, op, record }: Step, token: number): boolean {
  return table === 'tokens' && op !== 'put' && record === token
}

function expected(step: Step, existing: { readonly ModifyIndex: number } | undefined): number | undefined {
  if (step.expectation === 'any') return undefined
  if (step.expectation === 'absent') return 0
  const current = existing?.ModifyIndex ?? 0
  return step.expectation === 'current' ? current : current + 1
}

/** All records of this run, with indexes relative to its start. */
async function show({ store, indexes }: Side): Promise<unknown> {
  const listed: TokenRecord[] = []
  for await (const page of store.tokens({ namespace: namespace() })) listed.push(...page)
  expect([...listed].sort(byListOrder)).toEqual(listed)
  const byPolicy: string[] = []
  for await (const page of store.tokens({ namespace: namespace(), policyId: id(3, 1) })) {
    byPolicy.push(...page.map(({ SecretID }) => SecretID))
  }
  const directory = store.directory()
  const numbers = Array.from({ length: RECORDS }, (_, i) => i)
  const records = {
    // Tokens without an accessor that were created together have no order.
    listed: listed.sort((a, b) => byListOrder(a, b) || (a.SecretID < b.SecretID ? -1 : 1)),
    byPolicy: byPolicy.sort(),
    bySecret: await Promise.all(numbers.map((n) => store.tokenBySecret(secretOf(n)))),
    byAccessor: await Promise.all(numbers.map((n) => store.tokenByAccessor(accessorOf(n).toUpperCase()))),
    namespace: directory.namespace(namespace()),
    policies: numbers.map((n) => directory.policy(id(3, n))),
    policyNames: numbers.map((n) => directory.policyByName(namespace(), `Name-${n}`)?.ID),
    roles: numbers.map((n) => directory.role(id(4, n))),
    keys: (await allOf(store.kvEntries({ namespace: namespace(), prefix: '' }))).map((entry) => ({
      ...entry,
      Flags: String(entry.Flags),
      Value: [...entry.Value],
    })),
  }
  return JSON.parse(JSON.stringify(records), (name, value) =>
    name === 'CreateIndex' || name === 'ModifyIndex' ? indexes.indexOf(value) : value,
  )
}

async function allOf<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = []
  for await (const page of pages) all.push(...page)
  return all
}
