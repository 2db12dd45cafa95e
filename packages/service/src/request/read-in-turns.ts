import { checkWanted, inTurns, type Sliced } from '@latchkey/acl'
import type { Context } from '../handler.ts'

/** Length of a text that is parsed in about one slice. */
const SHORT_TEXT_LENGTH = 4_096

/** Parses a text in slices. Long texts queue for a lane. */
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

/** Like {@link readInTurns}, for a text that will be stored. Starts immediately if the text is short. */
export function readToWrite<T>(call: Context, text: string, work: () => Sliced<T>): Promise<T> {
  if (text.length <= SHORT_TEXT_LENGTH) return inTurns(work(), call)
  return readInTurns(call, text, work, call.writeLane)
}
