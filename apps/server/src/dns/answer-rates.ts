/** Limits how many DNS questions of one address are answered: over UDP, source addresses can be forged. */
import { BoundedMap, type RateLimits, TokenBuckets } from '@latchkey/service'

/** A client may ask this many seconds' worth of questions at once. */
const BURST_SECONDS = 2
/** Answers to a client are reserved in pieces, because another process may count them: this many pieces per second. */
const PIECES_PER_SECOND = 50
/** Maximum number of clients whose pieces are remembered. */
const CLIENTS_MAX = 20_000

/** Answers reserved for a client and not used yet. */
interface Piece {
  left: number
  /** The number that another process grants, once it has decided. */
  asked: Promise<number> | undefined
}

export class AnswerRates {
  private readonly perSecond: number
  private readonly limits: RateLimits
  private readonly pieceSize: number
  private readonly pieces = new BoundedMap<string, Piece>(CLIENTS_MAX)

  /**
   * @param perSecond answers to one client per second; 0 for no limit.
   * @param limits default: this process counts.
   */
  constructor(perSecond: number, limits: RateLimits = new TokenBuckets(() => performance.now())) {
    this.perSecond = perSecond
    this.limits = limits
    this.pieceSize = Math.max(1, Math.floor(perSecond / PIECES_PER_SECOND))
  }

  /** Counts a question. @returns whether it may be answered. */
  take(client: string): boolean | Promise<boolean> {
    if (this.perSecond === 0) return true
    const piece = this.pieces.get(client) ?? this.pieces.set(client, { left: 0, asked: undefined }, 1)
    if (piece.left === 0 && piece.asked === undefined) {
      const rate = { key: client, perSecond: this.perSecond, burstSeconds: BURST_SECONDS }
      const answer = this.limits.take(rate, this.pieceSize)
      if (answer instanceof Promise) piece.asked = answer.then(({ taken }) => fill(piece, taken))
      else fill(piece, answer.taken)
    }
    if (piece.asked !== undefined) return this.takeOnce(piece.asked, client)
    if (piece.left === 0) return false
    piece.left -= 1
    return true
  }

  private async takeOnce(asked: Promise<number>, client: string): Promise<boolean> {
    return (await asked) > 0 && this.take(client)
  }
}

function fill(piece: Piece, taken: number): number {
  piece.left = taken
  piece.asked = undefined
  return taken
}
