import { expect, test } from 'vitest'
import { CircuitBreaker } from './circuit-breaker.ts'

function failing(instants: readonly number[]): CircuitBreaker {
  const circuit = new CircuitBreaker()
  for (const at of instants) circuit.failed(at)
  return circuit
}

test('opens after five failures within ten seconds', () => {
  expect(failing([0, 1, 2, 3]).admits(4)).toBe(true)
  expect(failing([0, 1, 2, 3, 10_000]).admits(10_000)).toBe(false)
  expect(failing([0, 1, 2, 3, 10_001]).admits(10_001)).toBe(true)
})

test('a success in between resets the count', () => {
  const circuit = failing([0, 1, 2, 3])
  circuit.succeeded()
  circuit.failed(4)
  expect(circuit.admits(5)).toBe(true)
})

test('while open, admits one probe a second, whether or not the one before has ended', () => {
  const circuit = failing([0, 0, 0, 0, 0])
  expect([999, 1_000, 1_001, 1_999, 2_000].map((at) => circuit.admits(at))).toEqual([
    false,
    true,
    false,
    false,
    true,
  ])
  circuit.failed(2_500)
  expect([2_501, 3_000].map((at) => circuit.admits(at))).toEqual([false, true])
})

test('a probe that succeeds closes it', () => {
  const circuit = failing([0, 0, 0, 0, 0])
  circuit.succeeded()
  expect([1, 2, 3].map((at) => circuit.admits(at))).toEqual([true, true, true])
})
