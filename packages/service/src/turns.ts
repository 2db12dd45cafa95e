/**
 * Long work lets other requests run: it takes a turn of the event loop between its tokens, texts or records. All long work
 * of a process shares one queue of turns.
 */
import { AclError } from '@latchkey/contract'

/** Grants turns of the event loop. */
export interface Turns {
  /** Resolves in a later turn, one waiter per turn. */
  next(): Promise<void>
}

/** Steps of work in one turn. A step, such as reading a token or merging a rule, takes about a microsecond. */
export const STEPS_PER_TURN = 500

const CHARACTERS_PER_STEP = 64

/** Steps to read a text of this length. */
export function stepsOf(length: number): number {
  return 1 + Math.floor(length / CHARACTERS_PER_STEP)
}

/** The turns that one piece of long work takes. */
export class Pauses {
  /** All steps so far. */
  steps = 0
  private readonly turns: Turns
  private readonly signal: AbortSignal | undefined
  private left = STEPS_PER_TURN

  constructor({ turns, signal }: TurnOptions) {
    this.turns = turns
    this.signal = signal
  }

  /**
   * Counts the next steps of the work, and takes a turn before them if the work since the last turn has been enough.
   *
   * @throws AclError `unavailable` once the signal is aborted.
   */
  async before(steps: number): Promise<void> {
    this.steps += steps
    this.left -= steps
    if (this.left > 0) return
    this.left = STEPS_PER_TURN
    await takeTurn({ turns: this.turns, signal: this.signal })
  }
}

interface TurnOptions {
  readonly turns: Turns
  /** Aborted when the result is no longer wanted. */
  readonly signal?: AbortSignal | undefined
}

/** @throws AclError `unavailable` once the signal is aborted. */
export async function takeTurn({ turns, signal }: TurnOptions): Promise<void> {
  await turns.next()
  checkWanted(signal)
}

/** Length of a text that is parsed in about a millisecond. */
const SHORT_TEXT_LENGTH = 4_096

/** Parses a text, in a turn of its own if it is long. */
export async function readInTurn<T>(options: TurnOptions, text: string, read: () => T): Promise<T> {
  if (text.length > SHORT_TEXT_LENGTH) await takeTurn(options)
  return read()
}

/** @throws AclError `unavailable` if the client disconnected or the server is stopping. */
export function checkWanted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw givenUp()
}

function givenUp(): AclError {
  return new AclError('unavailable', 'The request was aborted before it was answered')
}

/** Resumes one waiter per turn of the event loop. */
export class TurnQueue implements Turns {
  private readonly yieldTurn: () => Promise<void>
  private readonly waiting: (() => void)[] = []

  /** @param wait resolves in a later turn. Default {@link yieldTurn}. */
  constructor(wait: () => Promise<void> = yieldTurn) {
    this.yieldTurn = wait
  }

  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.waiting.push(resolve) === 1) void this.handOut()
    })
  }

  private async handOut(): Promise<void> {
    while (this.waiting.length > 0) {
      await this.yieldTurn()
      this.waiting.shift()?.()
    }
  }
}

/** Maximum number of tasks that wait for a lane. */
export const LANE_WAITING_MAX = 64

/** Limits the concurrency of tasks that use much memory; first in, first out. */
export class Lane {
  private readonly waiting = new Set<() => void>()
  private free: number
  private readonly waitingMax: number

  /**
   * @param widthMax maximum running tasks.
   * @param waitingMax maximum waiting tasks.
   */
  constructor(widthMax: number, waitingMax: number = LANE_WAITING_MAX) {
    this.free = widthMax
    this.waitingMax = waitingMax
  }

  /**
   * @param signal aborted when the result is no longer wanted; a waiting task then never starts.
   * @throws AclError `unavailable` if too many tasks wait, or once the signal is aborted.
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.free === 0) await this.wait(signal)
    else this.free--
    try {
      return await work()
    } finally {
      const [next] = this.waiting
      if (next) next()
      else this.free++
    }
  }

  private wait(signal: AbortSignal | undefined): Promise<void> {
    checkWanted(signal)
    if (this.waiting.size >= this.waitingMax) {
      throw new AclError('unavailable', 'Too many long requests are waiting: try again later', {
        headers: { 'Retry-After': '1' },
      })
    }
    return new Promise((resolve, reject) => {
      const enter = () => {
        this.waiting.delete(enter)
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        this.waiting.delete(enter)
        reject(givenUp())
      }
      this.waiting.add(enter)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }
}

interface MessagePort {
  onmessage: (() => void) | null
  postMessage(message: unknown): void
  close(): void
}

/** Platform functions that schedule a later turn. Read once, before fake timers can replace them. */
const {
  setImmediate: setImmediateOrNone,
  MessageChannel: MessageChannelOrNone,
  setTimeout: setTimeoutOfPlatform,
} = globalThis as unknown as {
  readonly setImmediate?: (callback: () => void) => unknown
  readonly MessageChannel?: new () => { readonly port1: MessagePort; readonly port2: MessagePort }
  readonly setTimeout: (callback: () => void, ms: number) => unknown
}

/** Resolves in a later turn of the event loop, after pending I/O. */
export function yieldTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (setImmediateOrNone) setImmediateOrNone(() => resolve())
    else if (MessageChannelOrNone) afterMessage(new MessageChannelOrNone(), resolve)
    // Last resort, because browsers delay nested timers by 4 ms.
    else setTimeoutOfPlatform(resolve, 0)
  })
}

function afterMessage(
  { port1, port2 }: { readonly port1: MessagePort; readonly port2: MessagePort },
  resolve: () => void,
): void {
  port1.onmessage = () => {
    port1.close()
    resolve()
  }
  port2.postMessage(undefined)
}
