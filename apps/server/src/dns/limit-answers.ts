/** Limits how many DNS questions of one address are answered: over UDP, source addresses can be forged. */
import { BoundedMap, type RateLimits, TokenBuckets } from '@latchkey/service'

/** A client may ask this many seconds' worth of questions at once. */
const BURST_SECONDS = 2
/** Answers to a client are reserved in pieces, because another process may count them: this many pieces per second. */
const PIECES_PER_SECOND = 50
const CLIENTS_MAX = 20_000

/** Answers reserved for a client and not used yet. */
interface Piece {
  left: number
  /** The number that another process grants, once it has decided. */
  asked: Promise<number> | undefined
}

/** Counts a question of a client. @returns whether it may be answered. */
export type MayAnswer = (client: string) => boolean | Promise<boolean>

/** @param perSecond 0 for no limit. @param limits default: this process counts. */
export function limitAnswers(
  perSecond: number,
  limits: RateLimits = new TokenBuckets(() => performance.now()),
): MayAnswer {
  const pieceSize = Math.max(1, Math.floor(perSecond / PIECES_PER_SECOND))
  const pieces = new BoundedMap<string, Piece>(CLIENTS_MAX)
  const take: MayAnswer = (client) => {
    if (perSecond === 0) return true
    const piece = pieces.get(client) ?? pieces.set(client, { left: 0, asked: undefined }, 1)
    if (piece.left === 0 && piece.asked === undefined) {
      const answer = limits.take({ key: client, perSecond, burstSeconds: BURST_SECONDS }, pieceSize)
      if (answer instanceof Promise) piece.asked = answer.then(({ taken }) => fill(piece, taken))
      else fill(piece, answer.taken)
    }
    if (piece.asked !== undefined) return piece.asked.then((taken) => taken > 0 && take(client))
    if (piece.left === 0) return false
    piece.left -= 1
    return true
  }
  return take
}

function fill(piece: Piece, taken: number): number {
  piece.left = taken
  piece.asked = undefined
  return taken
}
