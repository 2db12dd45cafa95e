/** Counts what clients see, by kind, with first and last time. */
import type { Calls, Outcome } from './call.ts'

export interface ClientErrors {
  /** In milliseconds. */
  readonly first: number
  readonly last: number
  readonly count: number
  readonly isError: boolean
  readonly status: number | undefined
  readonly text: string
  readonly workloads: Readonly<Record<string, number>>
  /** Periods with calls of this kind and their count, in order. */
  readonly spans: readonly { readonly from: number; readonly to: number; readonly count: number }[]
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export class Tally {
  private readonly kinds = new Map<
    string,
    Mutable<ClientErrors> & { spans: { from: number; to: number; count: number }[] }
  >()

  add(workload: string, { kind, ...outcome }: Outcome, { first, last, count }: Calls): void {
    if (count === 0) return
    const known = this.kinds.get(kind) ?? { first, last, count: 0, ...outcome, workloads: {}, spans: [] }
    known.first = Math.min(known.first, first)
    known.last = Math.max(known.last, last)
    known.count += count
    known.workloads = { ...known.workloads, [workload]: (known.workloads[workload] ?? 0) + count }
    known.spans.push({ from: first, to: last, count })
    this.kinds.set(kind, known)
  }

  /** By kind, in order of first occurrence. */
  result(): ReadonlyMap<string, ClientErrors> {
    return new Map([...this.kinds].sort(([, a], [, b]) => a.first - b.first))
  }
}
