/** Facts about answers, from their headers. Spec 4.1; decisions: blocking queries. */
import { HEADER, REQUEST_ID_HEADER } from './contract.ts'

/** Facts about an answer; `undefined` if the service did not send them. */
export interface AnswerMeta {
  /** The commit index of the answer. Pass it as `index` to wait for the next change. */
  readonly index: number | undefined
  /** Whether the service knew its primary database when it answered. */
  readonly knownLeader: boolean | undefined
  /** Age of the answer in milliseconds; above 0 only with `consistency: 'stale'`. */
  readonly lastContactMs: number | undefined
  /** How catalog and health were read; sent from service version 1.0.7. */
  readonly effectiveConsistency: 'leader' | 'consistent' | 'stale' | undefined
  /** `true` if rows that the caller may not read were left out; sent from service version 1.11. */
  readonly resultsFiltered: true | undefined
  /** Identifies this request in the logs of the service. */
  readonly requestId: string | undefined
  /** Where the next page of a paged list begins; `undefined` on the last page. */
  readonly nextCursor: string | undefined
}

/** The facts of an answer that has none of these headers. */
export const NO_META: AnswerMeta = {
  index: undefined,
  knownLeader: undefined,
  lastContactMs: undefined,
  effectiveConsistency: undefined,
  resultsFiltered: undefined,
  requestId: undefined,
  nextCursor: undefined,
}

/** An answer with its facts: what a client from `withMeta()` resolves to, and what a watch yields. */
export interface WithMeta<T> extends AnswerMeta {
  readonly value: T
}

/** Whether the methods of a client resolve to the value alone or to the value with its facts. */
export type Mode = 'value' | 'meta'

/** What a client's methods resolve to in this mode. */
export type Result<M extends Mode, T> = M extends 'meta' ? WithMeta<T> : T

/** Converts a full answer to the client's mode. */
export type Shape<M extends Mode> = <T>(answer: WithMeta<T>) => Result<M, T>

const CONSISTENCIES = ['leader', 'consistent', 'stale'] as const

/** Reads the facts from the headers of one header family. */
export function readMeta(headers: Headers, headerPrefix: string): AnswerMeta {
  const header = (suffix: string): string | undefined => headers.get(headerPrefix + suffix) ?? undefined
  const knownLeader = header(HEADER.knownLeader)
  return {
    index: readCount(header(HEADER.index)),
    knownLeader: knownLeader === undefined ? undefined : knownLeader === 'true',
    lastContactMs: readCount(header(HEADER.lastContact)),
    effectiveConsistency: CONSISTENCIES.find((word) => word === header(HEADER.effectiveConsistency)),
    resultsFiltered: header(HEADER.resultsFiltered) === 'true' ? true : undefined,
    requestId: headers.get(REQUEST_ID_HEADER) ?? undefined,
    nextCursor: header(HEADER.nextCursor),
  }
}

function readCount(text: string | undefined): number | undefined {
  const count = text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
  return Number.isSafeInteger(count) ? count : undefined
}
