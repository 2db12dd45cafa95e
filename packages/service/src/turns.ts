/**
 * Long work lets other requests run: it takes a turn of the event loop between its tokens, texts or records. All long work
 * of a process shares one queue of turns.
 */
import { AclError } from '@latchkey/contract'

export interface Turns {
  /** Resolves in a later turn, one waiter per turn. */
  next(): Promise<void>
}

/** Steps of work in one turn. A step, such as reading a token or merging a rule, takes about a microsecond. */
export const STEPS_PER_TURN = 500

const CHARACTERS_PER_STEP = 64

export function stepsOf(length: number): number {
  return 1 + Math.floor(length / CHARACTERS_PER_STEP)
}

/** Counts the steps of one piece of long work, which takes a turn of the shared queue every {@link STEPS_PER_TURN}. */
export class StepCounter {
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
   * @throws AclError `unavailable` once the signal is aborted.
   */
  async count(steps: number): Promise<void> {
    this.steps += steps
    this.left -= steps
    if (this.left > 0) return
    this.left = STEPS_PER_TURN
    await takeTurn({ turns: this.turns, signal: this.signal })
  }
}

interface TurnOptions {
  readonly turns: Turns
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

export function givenUp(): AclError {
  return new AclError('unavailable', 'The request was aborted before it was answered')
}

/** A list in parts, between which other work may run. */
export function* partsOf<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size)
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

/** Calls back in a later turn of the event loop, after pending I/O. */
export function afterTurn(callback: () => void): void {
  if (setImmediateOrNone) setImmediateOrNone(callback)
  else if (MessageChannelOrNone) afterMessage(new MessageChannelOrNone(), callback)
  // Last resort, because browsers delay nested timers by 4 ms.
  else setTimeoutOfPlatform(callback, 0)
}

function afterMessage(
  { port1, port2 }: { readonly port1: MessagePort; readonly port2: MessagePort },
  callback: () => void,
) {
  port1.onmessage = () => {
    port1.close()
    callback()
  }
  port2.postMessage(undefined)
}
