/**
 * Lists as snapshots (COH-01): is there one moment, between the start and the end of a list, at which all that it shows,
 * and all that it leaves out, can have been so?
 *
 * A register checker sees a list as one read per token and would let a list mix two moments. Here only what is certain
 * from the order of starts and ends counts, so a list that is told to be wrong is wrong.
 */
import type { Held, History, Operation, Violation } from './history.ts'

/** A write that happened, or may have. */
interface Write {
  readonly start: number
  /** Infinity where it may happen any time, or never. */
  readonly end: number
  /** What it left. */
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
        problem: 'a list shows what never was at one moment',
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

/** Nothing changes between the starts and ends of writes, so one moment between each two of them is enough. */
function momentsOf({ startedAt, endedAt }: Operation, writes: readonly Write[]): number[] {
  const turns = writes
    .flatMap(({ start, end }) => [start, end])
    .filter((at) => at > startedAt && at < endedAt)
  return [startedAt, ...turns].map((at) => at + 0.5)
}

/** Whether a register can have held this at this moment, for all that is certain. */
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
