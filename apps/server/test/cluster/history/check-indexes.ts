/**
 * Checks indexes against the order of a history (COH-05): each write has a unique index, a later write has a higher one,
 * and no answer has an index below one returned before its request.
 */
import type { History, Operation, Violation } from './history.ts'

export function checkIndexes(history: History): Violation | undefined {
  return checkWrites(history.operations) ?? checkAnswers(history.operations)
}

function checkWrites(operations: readonly Operation[]): Violation | undefined {
  const byIndex = new Map<number, Operation>()
  let highest: Operation | undefined
  for (const event of eventsOf(operations.filter((operation) => writeIndex(operation) > 0))) {
    const { operation } = event
    const index = writeIndex(operation)
    if (event.isEnd) {
      const other = byIndex.get(index)
      if (other) return violation(`two writes have index ${index}`, other, operation)
      byIndex.set(index, operation)
      if (!highest || index > writeIndex(highest)) highest = operation
      continue
    }
    if (highest && index <= writeIndex(highest)) {
      return violation(`a later write has index ${index}, an earlier one more`, highest, operation)
    }
  }
  return undefined
}

function checkAnswers(operations: readonly Operation[]): Violation | undefined {
  let highest: Operation | undefined
  const floors = new Map<Operation, Operation>()
  for (const { operation, isEnd } of eventsOf(operations)) {
    if (!isEnd) {
      if (highest) floors.set(operation, highest)
      continue
    }
    const floor = floors.get(operation)
    if (floor && operation.index > 0 && operation.index < toldIndex(floor)) {
      return violation(
        `an answer has index ${operation.index}, after an answer with a higher one`,
        floor,
        operation,
      )
    }
    if (!highest || toldIndex(operation) > toldIndex(highest)) highest = operation
  }
  return undefined
}

/** Starts and ends, in order. */
function eventsOf(operations: readonly Operation[]) {
  return operations
    .flatMap((operation) => [
      { at: operation.startedAt, isEnd: false, operation },
      { at: operation.endedAt, isEnd: true, operation },
    ])
    .sort((a, b) => a.at - b.at)
}

/** 0 unless the operation is a write with a known index. */
function writeIndex({ outcome }: Operation): number {
  return outcome.kind === 'done' ? (outcome.modifyIndex ?? 0) : 0
}

function toldIndex(operation: Operation): number {
  return Math.max(operation.index, writeIndex(operation))
}

function violation(problem: string, ...operations: readonly Operation[]): Violation {
  return { rule: 'index', problem, operations }
}
