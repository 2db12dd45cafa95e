import type { IncomingMessage, ServerResponse } from 'node:http'
import { FairTurns } from '../listener/fair-turns.ts'

/**
 * Maximum bytes of long answers that are written in one turn of the event loop, apart from the end of the last piece. A
 * write copies them to the kernel, which takes about a millisecond per MiB, and several if the client does not read.
 */
export const WRITTEN_PER_TURN_BYTES_MAX = 1_048_576
/** Maximum bytes of a long answer that are written at once. */
export const PIECE_BYTES_MAX = 524_288

/** Spreads the writing of long answers over turns of the event loop, taking clients in turn. Decisions: long work. */
export class AnswerTurns {
  private readonly turns = new FairTurns(WRITTEN_PER_TURN_BYTES_MAX)
  private readonly clientOf: (request: IncomingMessage) => string | undefined

  /** @param clientOf the key by which a client is limited; undefined for trusted proxies. */
  constructor(clientOf: (request: IncomingMessage) => string | undefined) {
    this.clientOf = clientOf
  }

  /** Resolves in the turn in which this many bytes of the answer may be written. The client may have left by then. */
  next({ req }: ServerResponse, bytes: number): Promise<void> {
    return new Promise((resolve) => this.turns.next(this.clientOf(req), resolve, bytes))
  }
}
