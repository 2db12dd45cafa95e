import { checkWanted, inTurns, type Sliced } from '@latchkey/acl'
import type { Context } from '../handler.ts'

/** Characters of a text that is read within about a slice. */
const SHORT_TEXT_LENGTH = 4_096

/** Reads a text in slices, behind the long ones that came before where it is long itself. */
export function readInTurns<T>(
  call: Context,
  text: string,
  work: () => Sliced<T>,
  lane = call.lane,
): Promise<T> {
  const run = async () => {
    // Many texts may arrive within a turn.
    await call.turns.next()
    checkWanted(call.signal)
    return inTurns(work(), call)
  }
  return text.length <= SHORT_TEXT_LENGTH ? run() : lane.run(run, call.signal)
}

/** As {@link readInTurns}, for a text that is to be stored; a short one is read at once. */
export function readToWrite<T>(call: Context, text: string, work: () => Sliced<T>): Promise<T> {
  if (text.length <= SHORT_TEXT_LENGTH) return inTurns(work(), call)
  return readInTurns(call, text, work, call.writeLane)
}
