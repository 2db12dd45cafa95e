import { LatchkeyError, PermissionDenied, Timeout, Unavailable } from '@latchkey/sdk'

/** What the person can do about an error, if the console knows it; otherwise the server's message. */
export function messageOf(error: unknown): string {
  if (error instanceof PermissionDenied && error.missing !== undefined) {
    const { resource, segment, access } = error.missing
    return missingRightText(resource, segment, access)
  }
  if (error instanceof Timeout)
    return 'The server took too long to answer. It may be busy, or the connection slow.'
  if (error instanceof Unavailable && error.status === undefined)
    return 'The server cannot be reached. Check that it is running and that you are online.'
  if (error instanceof LatchkeyError) return detailOf(error)
  if (isNotLoaded(error))
    return 'The server cannot be reached, or it was updated and this page has a new version.'
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

function missingRightText(resource: string, segment: string | undefined, access: string): string {
  return `This needs ${resource}:${access}${segment === undefined ? '' : ` on “${segment}”`}, which your token does not have.`
}
