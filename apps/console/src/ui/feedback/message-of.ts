import { LatchkeyError, PermissionDenied, Timeout, Unavailable } from '@latchkey/sdk'
import { texts } from '../../texts.ts'

/** What the person can do about an error, if the console knows it; otherwise the server's message. */
export function messageOf(error: unknown): string {
  if (error instanceof PermissionDenied && error.missing !== undefined) {
    const { resource, segment, access } = error.missing
    return texts.problem.missing(resource, segment, access)
  }
  if (error instanceof Timeout) return texts.problem.timeout
  if (error instanceof Unavailable && error.status === undefined) return texts.problem.unreachable
  if (error instanceof LatchkeyError) return detailOf(error)
  if (isNotLoaded(error)) return texts.shell.notLoaded
  return error instanceof Error ? error.message : String(error)
}

/** The message without the leading method name and status, which mean nothing to people here. */
function detailOf({ message }: LatchkeyError): string {
  return message.replace(/^[\w.]+: (\d{3} )?/, '')
}

/** How browsers report that a file of the console did not load: the server is away, or was updated and has other files. */
const NOT_LOADED = /dynamically imported module|importing a module|module script/i

export function isNotLoaded(error: unknown): boolean {
  return error instanceof Error && NOT_LOADED.test(error.message)
}
