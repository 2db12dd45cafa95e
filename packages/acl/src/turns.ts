/**
 * Long work in slices. What may take more than a few milliseconds is a generator that yields where others may take
 * their turn; {@link inTurns} runs one slice per turn of the event loop, so that no caller holds it for the rest.
 */
import { AclError } from '@latchkey/contract'

/** Work that yields at the end of each slice. */
export type Sliced<T> = Generator<void, T, void>

/** Hands out turns of the event loop. */
export interface Turns {
  /** Resolves in a later turn, and for one waiter per turn. */
  next(): Promise<void>
}

/** Most steps of a slice: a step reads a word, follows a link or joins a rule, in about a microsecond. */
export const STEPS_PER_SLICE = 500

/** Characters that are read in about one step. */
const CHARACTERS_PER_STEP = 64

/** Steps that reading a word takes. */
export function stepsOf(length: number): number {
  return 1 + Math.floor(length / CHARACTERS_PER_STEP)
}

/** Counts the steps of sliced work. */
export class Pace {
  private left = STEPS_PER_SLICE

  /** Whether the slice ends here. */
  isDue(steps = 1): boolean {
    this.left -= steps
    if (this.left > 0) return false
    this.left = STEPS_PER_SLICE
    return true
  }
}

/** Runs work without a pause, where nothing else has to run. */
export function atOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const slice = work.next()
    if (slice.done) return slice.value
  }
}

export interface InTurnsOptions {
  readonly turns: Turns
  /** Aborted when the result has lost its reader. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs work one slice per turn, the first one at once.
 *
 * @throws AclError `unavailable` once the signal is aborted.
 */
export async function inTurns<T>(work: Sliced<T>, { turns, signal }: InTurnsOptions): Promise<T> {
  for (;;) {
    const slice = work.next()
    if (slice.done) return slice.value
    await turns.next()
    checkWanted(signal)
  }
}

/** @throws AclError `unavailable` where the client has gone or the server stops. */
export function checkWanted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw givenUp()
}

function givenUp(): AclError {
  return new AclError('unavailable', 'The request was given up before it was answered')
}

/** All sliced work of a process shares one queue, so that many long requests take no more of a turn than one. */
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

/** Most long works that wait for their lane. */
export const LANE_WAITING_MAX = 64

/** Lets few long works run at once, in the order in which they come: each holds much memory until it ends. */
export class Lane {
  private readonly waiting = new Set<() => void>()
  private free: number
  private readonly waitingMax: number

  /**
   * @param widthMax how many run at once.
   * @param waitingMax how many wait.
   */
  constructor(widthMax: number, waitingMax: number = LANE_WAITING_MAX) {
    this.free = widthMax
    this.waitingMax = waitingMax
  }

  /**
   * @param signal aborted when the result has lost its reader; work that still waits then never begins.
   * @throws AclError `unavailable` where too many wait already, or once the signal is aborted.
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

/** The ways to a later turn, of which each platform has some. Read once: fake timers may replace them later. */
const {
  setImmediate: setImmediateOrNone,
  MessageChannel: MessageChannelOrNone,
  setTimeout: setTimeoutOfPlatform,
} = globalThis as unknown as {
  readonly setImmediate?: (callback: () => void) => unknown
  readonly MessageChannel?: new () => { readonly port1: MessagePort; readonly port2: MessagePort }
  readonly setTimeout: (callback: () => void, ms: number) => unknown
}

/** Resolves in a later turn of the event loop, after input that has arrived was read. */
export function yieldTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (setImmediateOrNone) setImmediateOrNone(() => resolve())
    else if (MessageChannelOrNone) afterMessage(new MessageChannelOrNone(), resolve)
    // Browsers hold nested timers back for 4 ms.
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
