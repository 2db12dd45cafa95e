import { checkWanted, inTurns, type Sliced } from '@latchkey/acl'
import type { Context } from '../handler.ts'

/** Characters of a text that takes about one slice. */
const SHORT_TEXT_LENGTH = 4_096

/** Parses a text in slices. Long texts queue in a lane. */
export function readInTurns<T>(
  call: Context,
  text: string,
  work: () => Sliced<T>,
  lane = call.lane,
): Promise<T> {
  const run = async () => {
    // Many texts may arrive in one turn.
    await call.turns.next()
    checkWanted(call.signal)
    return inTurns(work(), call)
  }
  return text.length <= SHORT_TEXT_LENGTH ? run() : lane.run(run, call.signal)
}

/** As {@link readInTurns}, for a text to be stored. A short one starts at once. */
export function readToWrite<T>(call: Context, text: string, work: () => Sliced<T>): Promise<T> {
  if (text.length <= SHORT_TEXT_LENGTH) return inTurns(work(), call)
  return readInTurns(call, text, work, call.writeLane)
}
