/** Tokens without an accessor over time, in every datacenter of a history. */
import type { History } from '../../simulate/history.ts'
import { size } from '../../simulate/tokens/ranges.ts'
import type { TokenLine, TokenPoint } from './chart.ts'

/** Maximum number of points per line; a migration may have a hundred thousand batches. */
const POINTS_MAX = 400

/** One line per datacenter that ever has a token without an accessor. */
export function tokenLinesOf(history: History): TokenLine[] {
  return history.datacenters.flatMap((datacenter) => {
    const points =
      datacenter === history.primary ? primaryPoints(history) : secondaryPoints(history, datacenter)
    return points.length === 0 ? [] : [{ datacenter, points: thin(points) }]
  })
}

function primaryPoints(history: History): TokenPoint[] {
  const points = [{ at: 0, remaining: history.tokensAtStart }]
  for (const each of history.records) {
    const before = points.at(-1)?.remaining ?? 0
    if (each.kind === 'batch' && each.datacenter === history.primary)
      points.push({ at: each.at, remaining: each.remaining })
    if (each.kind === 'restored' && each.datacenter === history.primary)
      points.push({ at: each.at, remaining: each.unmigrated })
    if (each.kind === 'tokens' && each.refused === undefined) {
      if (each.action === 'created') points.push({ at: each.at, remaining: before + each.unmigrated })
      if (each.action === 'deleted') points.push({ at: each.at, remaining: before - each.unmigrated })
    }
  }
  return history.tokensAtStart === 0 && points.length === 1 ? [] : points
}

/** Tokens without an accessor in a secondary: all tokens of the primary minus those whose accessor has been replicated. */
function secondaryPoints(history: History, datacenter: string): TokenPoint[] {
  let present = history.tokensAtStart
  let migrated = 0
  const points = [{ at: 0, remaining: present }]
  for (const each of history.records) {
    if (each.kind === 'replicated' && each.datacenter === datacenter) migrated = each.migrated
    else if (each.kind === 'tokens' && each.refused === undefined && each.action === 'created') {
      present += size(each.tokens)
    } else if (each.kind === 'tokens' && each.refused === undefined && each.action === 'deleted') {
      present -= size(each.tokens)
    } else continue
    points.push({ at: each.at, remaining: Math.max(0, present - migrated) })
  }
  return migrated === 0 ? [] : points
}

/** Thins out points, keeping the first and the last. */
function thin<T>(points: readonly T[]): readonly T[] {
  const step = Math.ceil(points.length / POINTS_MAX)
  return points.filter((_, i) => i % step === 0 || i === points.length - 1)
}
