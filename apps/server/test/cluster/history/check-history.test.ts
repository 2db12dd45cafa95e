/** Runs the checkers on histories with a known verdict. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkRegisters } from './check-register.ts'
import type { Call, Operation, Outcome } from './history.ts'

const DONE: Outcome = { kind: 'done', modifyIndex: undefined }
const UNKNOWN: Outcome = { kind: 'unknown' }

const create = (value: string, slot = 0): Call => ({ kind: 'create', slot, value })
const update = (value: string, slot = 0): Call => ({ kind: 'update', slot, value })
const remove: Call = { kind: 'delete', slot: 0 }
const read: Call = { kind: 'read', slot: 0 }
const sees = (held?: string): Outcome => ({ kind: 'seen', held })

function operation([startedAt, endedAt, call, outcome, index]: Row): Operation {
  return { client: 0, process: 0, call, outcome, startedAt, endedAt, index: index ?? 0 }
}
type Row = readonly [start: number, end: number, Call, Outcome, index?: number]

describe('COH-01', () => {
  test('on small histories, every verdict equals that of an exhaustive search', () => {
    const verdicts = new Set<boolean>()
    fc.assert(
      fc.property(fc.array(anOperation(), { minLength: 2, maxLength: 5 }), (operations) => {
        const isRight = checkRegisters({ seed: 0, slots: 1, operations }) === undefined
        verdicts.add(isRight)
        expect(isRight).toBe(hasOrder(operations))
      }),
      { numRuns: 3_000 },
    )
    expect(verdicts.size).toBe(2)
  })
})

/** Operations on one token, with so few values that they often collide. */
function anOperation(): fc.Arbitrary<Operation> {
  const value = fc.constantFrom('a', 'b')
  const call = fc.oneof(
    value.map((text) => [create(text), DONE] as const),
    value.map((text) => [create(text), UNKNOWN] as const),
    value.map((text) => [update(text), DONE] as const),
    fc.constantFrom(
      [remove, DONE] as const,
      [remove, UNKNOWN] as const,
      [remove, { kind: 'refused' }] as const,
    ),
    fc.constantFrom('a', 'b', undefined).map((held) => [read, sees(held)] as const),
  )
  return fc
    .record({ call, start: fc.nat(20), length: fc.integer({ min: 1, max: 12 }) })
    .map(({ call: [asked, outcome], start, length }) => operation([start, start + length, asked, outcome]))
}

/** Tries all orders that respect ends and starts. Operations without an answer may be left out. */
function hasOrder(left: readonly Operation[], held?: string): boolean {
  if (left.every(({ outcome }) => outcome.kind === 'unknown')) return true
  return left.some((next) => {
    const others = left.filter((other) => other !== next)
    if (others.some(({ outcome, endedAt }) => outcome.kind !== 'unknown' && endedAt < next.startedAt))
      return false
    const after = step(next, held)
    return after !== 'impossible' && hasOrder(others, after.held)
  })
}

function step({ call, outcome }: Operation, held?: string): { held?: string } | 'impossible' {
  const isThere = held !== undefined
  const same = isThere ? { held } : {}
  if (outcome.kind === 'seen') return outcome.held === held ? same : 'impossible'
  if (outcome.kind === 'refused') return isThere ? 'impossible' : same
  if (call.kind === 'create') return isThere ? 'impossible' : { held: call.value }
  if (!isThere) return 'impossible'
  return 'value' in call ? { held: call.value } : {}
}
