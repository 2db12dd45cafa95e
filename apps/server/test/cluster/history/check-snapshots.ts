/**
 * Checks that lists are snapshots (COH-01): is there one moment between the start and the end of a list at which everything
 * that it shows and omits can have been true?
 *
 * A register checker sees a list as one read per token and would accept a list that mixes two moments. This check only
 * uses what the order of starts and ends proves, so it has no false positives.
 */
import type { Held, History, Operation, Violation } from './history.ts'

/** A write that happened, or may have happened. */
interface Write {
  readonly start: number
  /** Infinity if it may happen any time, or never. */
  readonly end: number
  /** The register after it. */
  readonly held: Held
}

export function checkSnapshots(history: History): Violation | undefined {
  const writes = Array.from({ length: history.slots }, (_, slot) => writesOf(history.operations, slot))
  for (const operation of history.operations) {
    if (operation.outcome.kind !== 'listed') continue
    const { values } = operation.outcome
    const isAt = (moment: number) =>
      writes.every((ofSlot, slot) => canHold({ held: values.get(slot), moment }, ofSlot))
    if (!momentsOf(operation, writes.flat()).some(isAt)) {
      const involved = history.operations.filter((other) => isWriteNear(other, operation))
      return {
        rule: 'snapshot',
        problem: 'a list shows a state that never existed',
        operations: [...involved, operation],
      }
    }
  }
  return undefined
}

function writesOf(operations: readonly Operation[], slot: number): Write[] {
  return operations.flatMap(({ call, outcome, startedAt, endedAt }): Write[] => {
    if (call.kind === 'list' || call.slot !== slot || outcome.kind === 'refused') return []
    const end = outcome.kind === 'unknown' ? Number.POSITIVE_INFINITY : endedAt
    const write = { start: startedAt, end }
    if (call.kind === 'delete') return [{ ...write, held: undefined }]
    return 'value' in call ? [{ ...write, held: call.value }] : []
  })
}

/** State changes only between the start and end of a write, so one moment between each two of these instants is enough. */
function momentsOf({ startedAt, endedAt }: Operation, writes: readonly Write[]): number[] {
  const turns = writes
    .flatMap(({ start, end }) => [start, end])
    .filter((at) => at > startedAt && at < endedAt)
  return [startedAt, ...turns].map((at) => at + 0.5)
}

/** Whether a register may have had this value at this moment. */
function canHold(
  { held, moment }: { readonly held: Held; readonly moment: number },
  writes: readonly Write[],
) {
  const before = writes.filter(({ start }) => start < moment)
  const isOverwritten = (since: number) => before.some(({ start, end }) => start > since && end < moment)
  if (held === undefined && !before.some(({ end, held: left }) => left !== undefined && end < moment))
    return true
  return before.some((write) => write.held === held && !isOverwritten(write.end))
}

function isWriteNear({ call, startedAt, endedAt }: Operation, list: Operation): boolean {
  const isWrite = call.kind === 'create' || call.kind === 'update' || call.kind === 'delete'
  return isWrite && startedAt < list.endedAt && endedAt > list.startedAt - 50
}
