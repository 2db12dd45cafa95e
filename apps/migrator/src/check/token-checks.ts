/** The migration respects the batch limits, gives each token one accessor, and loses no edit. Spec 8, 9.2.3. */
import type { AccessorSpan, History } from '../simulate/history.ts'
import { numbers, type Range } from '../simulate/tokens/ranges.ts'
import { lastingRecords, recordsOf, type Violation } from './facts.ts'

const TOKENS_MAX = 128
const INTERVAL_MS_MIN = 1_000
export const LAW_AT_TAKEOVER = 'law at takeover'

/** At most 128 tokens in a batch, and at most one batch in any second of one leader. Spec 8. */
export function checkLaw(history: History): Violation[] {
  const batches = recordsOf(history, 'batch')
  const large = batches.flatMap(({ at, tokens }) => {
    const count = countOf(tokens)
    return count > TOKENS_MAX ? [{ rule: 'law', at, detail: `a batch of ${count} tokens` }] : []
  })
  const hasty = pairs(batches).flatMap(([before, { at, term }]) =>
    at - before.at < INTERVAL_MS_MIN && term === before.term
      ? [{ rule: 'law', at, detail: `a batch ${at - before.at} ms after the one before` }]
      : [],
  )
  return [...large, ...hasty]
}

/**
 * The same limits across a change of leader. Latchkey always respects them. In the reference, a new leader does not
 * know the last batch, so the limits hold only if elections take a second or more.
 */
export function checkLawAtTakeover(history: History): Violation[] {
  return pairs(recordsOf(history, 'batch')).flatMap(([before, { at, term }]) =>
    at - before.at < INTERVAL_MS_MIN && term !== before.term
      ? [
          {
            rule: LAW_AT_TAKEOVER,
            at,
            detail: `a new leader's batch ${at - before.at} ms after the one before`,
          },
        ]
      : [],
  )
}

/** Every token gets exactly one accessor, every accessor is unique, and no datacenter loses one. */
export function checkOneAccessor(history: History): Violation[] {
  const spans = lastingRecords(history).flatMap((each) => {
    if (each.kind !== 'batch') return []
    const { at, tokens } = each
    let accessor = each.accessorFrom
    return tokens.map(([from, to]) => {
      const span = { at, from, to, accessor }
      accessor += to - from
      return span
    })
  })
  const byToken = [...spans].sort((a, b) => a.from - b.from)
  const byAccessor = [...spans].sort((a, b) => a.accessor - b.accessor)
  const twice = pairs(byToken).flatMap(([a, b]) =>
    b.from < a.to
      ? [{ rule: 'one accessor', at: b.at, detail: `token ${b.from} got a second accessor` }]
      : [],
  )
  const shared = pairs(byAccessor).flatMap(([a, b]) =>
    b.accessor < a.accessor + a.to - a.from
      ? [{ rule: 'one accessor', at: b.at, detail: `accessor ${b.accessor} was given to two tokens` }]
      : [],
  )
  const kept = history.stores.flatMap((store) =>
    store.accessors.flatMap((span) =>
      isGiven(span, byToken)
        ? []
        : [
            {
              rule: 'one accessor',
              at: history.endedAt,
              detail: `in ${store.datacenter} token ${span.from} has an accessor that no batch gave it`,
            },
          ],
    ),
  )
  return [...twice, ...shared, ...kept]
}

/** The final content of a token is its last acknowledged write. */
export function checkNoLostEdit(history: History): Violation[] {
  const expected = new Map<number, { write: number; at: number }>()
  for (const each of lastingRecords(history)) {
    if (each.kind !== 'tokens' || each.refused !== undefined) continue
    const { at, action, tokens, write } = each
    if (action === 'edited') for (const token of numbers(tokens)) expected.set(token, { write, at })
    if (action === 'deleted') for (const token of numbers(tokens)) expected.delete(token)
  }
  const store = history.stores.find((each) => each.datacenter === history.primary)
  return [...expected].flatMap(([token, { write, at }]) =>
    store?.writes.get(token) === write
      ? []
      : [{ rule: 'no lost edit', at, detail: `the edit of token ${token} is gone at the end` }],
  )
}

/** Whether a single batch assigned the whole span; binary search over batches ordered by token. */
function isGiven(span: AccessorSpan, byToken: readonly AccessorSpan[]): boolean {
  let low = 0
  let high = byToken.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((byToken[middle]?.from ?? 0) <= span.from) low = middle + 1
    else high = middle
  }
  const given = byToken[low - 1]
  return (
    given !== undefined && span.to <= given.to && span.accessor - given.accessor === span.from - given.from
  )
}

function pairs<T>(items: readonly T[]): [T, T][] {
  return items.slice(1).flatMap((item, i) => {
    const before = items[i]
    return before === undefined ? [] : [[before, item] as [T, T]]
  })
}

/** The numbers in ranges, for messages. */
export function countOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from, 0)
}
