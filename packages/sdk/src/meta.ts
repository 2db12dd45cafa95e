/** Facts about answers, from their headers. Spec 4.1; decisions: blocking queries. */
import { HEADER, REQUEST_ID_HEADER } from './contract.ts'

/** Facts about an answer; `undefined` if the service did not send them. */
export interface AnswerMeta {
  /** The commit index of the answer. Give it back as `index` to wait for the next one. */
  readonly index: number | undefined
  /** Whether the service knew its primary database when it answered. */
  readonly knownLeader: boolean | undefined
  /** Age of the answer in milliseconds; above 0 only with `consistency: 'stale'`. */
  readonly lastContactMs: number | undefined
  /** How catalog and health were read. Services tell it from 1.0.7. */
  readonly effectiveConsistency: 'leader' | 'consistent' | 'stale' | undefined
  /** `true` if the answer lacks rows that the caller may not read. Services tell it from 1.11. */
  readonly resultsFiltered: true | undefined
  /** Names this request in the logs of the service. */
  readonly requestId: string | undefined
  /** Where the next page of a paged list begins; `undefined` on its last page. */
  readonly nextCursor: string | undefined
}

/** The facts of an answer without such headers. */
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

/** Whether a client answers with the value alone or with its facts. */
export type Mode = 'value' | 'meta'

/** What a method of a client in this mode resolves to. */
export type Result<M extends Mode, T> = M extends 'meta' ? WithMeta<T> : T

/** Converts a full answer to the mode of the client. */
export type Shape<M extends Mode> = <T>(answer: WithMeta<T>) => Result<M, T>

const CONSISTENCIES = ['leader', 'consistent', 'stale'] as const

/** Reads the facts from the headers of one family. */
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
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}
