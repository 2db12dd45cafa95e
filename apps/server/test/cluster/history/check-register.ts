/**
 * Checks linearizability of one token, as a register that is empty or holds a text (COH-01): is there an order in which each
 * operation takes effect at one moment between its start and its end, and sees the effects of all earlier ones?
 *
 * Operations on different tokens commute, so each token is searched alone, which keeps the search small. This is the
 * search of Wing and Gong, with Lowe's cache of failed configurations.
 */
import type { Held, History, Operation, Violation } from './history.ts'

/** The register after an operation, or that the operation is impossible in this state. */
type Effect = (held: Held) => Held | typeof IMPOSSIBLE
const IMPOSSIBLE = Symbol('impossible')

interface Step {
  readonly operation: Operation
  readonly start: number
  /** Infinity if the operation may take effect any time after the start, or never. */
  readonly end: number
  readonly effect: Effect
  /** Whether it never changes the register. */
  readonly isRead: boolean
}

/** The first token of a history, by slot, that has no such order; undefined if all have one. */
export function checkRegisters(history: History): Violation | undefined {
  for (let slot = 0; slot < history.slots; slot += 1) {
    const steps = stepsOf(history.operations, slot)
    if (!isLinearizable(steps)) {
      const operations = steps.map(({ operation }) => operation)
      return { rule: 'register', problem: `token ${slot} has no possible order`, operations }
    }
  }
  return undefined
}

function stepsOf(operations: readonly Operation[], slot: number): Step[] {
  const shown = new Set(operations.flatMap(({ outcome }) => valuesShown(outcome)))
  return operations
    .filter(({ call }) => call.kind === 'list' || call.slot === slot)
    .flatMap((operation) => {
      const effect = effectOf(operation, slot, shown)
      if (!effect) return []
      const end = operation.outcome.kind === 'unknown' ? Number.POSITIVE_INFINITY : operation.endedAt
      const isRead = operation.outcome.kind !== 'done' && operation.outcome.kind !== 'unknown'
      return [{ operation, start: operation.startedAt, end, effect, isRead }]
    })
    .sort((a, b) => a.start - b.start)
}

function valuesShown(outcome: Operation['outcome']): readonly string[] {
  if (outcome.kind === 'listed') return [...outcome.values.values()]
  return outcome.kind === 'seen' && outcome.held !== undefined ? [outcome.held] : []
}

/** Undefined if the operation reveals nothing about the token. */
function effectOf(
  { call, outcome }: Operation,
  slot: number,
  shown: ReadonlySet<string>,
): Effect | undefined {
  if (outcome.kind === 'seen') return sees(outcome.held)
  if (outcome.kind === 'listed') return sees(outcome.values.get(slot))
  const isDone = outcome.kind !== 'refused'
  switch (call.kind) {
    case 'create':
      return isDone ? (held) => (held === undefined ? call.value : IMPOSSIBLE) : whilePresent
    case 'update':
      // A write with an unknown outcome that no read saw may be ignored.
      if (outcome.kind === 'unknown' && !shown.has(call.value)) return undefined
      return isDone ? (held) => (held === undefined ? IMPOSSIBLE : call.value) : whileAbsent
    case 'delete':
      return isDone ? (held) => (held === undefined ? IMPOSSIBLE : undefined) : whileAbsent
    default:
      // A read without an answer.
      return undefined
  }
}

function sees(value: Held): Effect {
  return (held) => (held === value ? held : IMPOSSIBLE)
}

function whilePresent(held: Held): Held | typeof IMPOSSIBLE {
  return held === undefined ? IMPOSSIBLE : held
}

function whileAbsent(held: Held): Held | typeof IMPOSSIBLE {
  return held === undefined ? held : IMPOSSIBLE
}

/** @param steps in order of their start. */
function isLinearizable(steps: readonly Step[]): boolean {
  const seen = new Set<string>()
  const certain = steps.reduce(
    (bits, { end }, i) => (end === Number.POSITIVE_INFINITY ? bits : bits | bit(i)),
    0n,
  )
  const stack: Configuration[] = [{ done: 0n, held: undefined }]
  for (let at = stack.pop(); at; at = stack.pop()) {
    const { done, held } = at
    if ((done & certain) === certain) return true
    const name = `${done.toString(36)} ${held ?? ''}`
    if (seen.has(name)) continue
    seen.add(name)
    stack.push(...nextOf(at, steps))
  }
  return false
}

/** Which steps are done, and the resulting state. */
interface Configuration {
  readonly done: bigint
  readonly held: Held
}

function nextOf({ done, held }: Configuration, steps: readonly Step[]): Configuration[] {
  const next: Configuration[] = []
  // The next operation must have started before the first of the others ended.
  let firstEnd = Number.POSITIVE_INFINITY
  for (const [i, { start, end }] of steps.entries()) {
    if (start > firstEnd) break
    if ((done & bit(i)) === 0n) firstEnd = Math.min(firstEnd, end)
  }
  for (const [i, { start, effect, isRead }] of steps.entries()) {
    if (start > firstEnd) break
    if ((done & bit(i)) !== 0n) continue
    const left = effect(held)
    if (left === IMPOSSIBLE) continue
    const configuration = { done: done | bit(i), held: left }
    // A possible operation without an effect may always go first.
    if (isRead) return [configuration]
    next.push(configuration)
  }
  return next
}

function bit(i: number): bigint {
  return 1n << BigInt(i)
}
