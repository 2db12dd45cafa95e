import { LatchkeyError, PermissionDenied, Timeout, Unavailable } from '@latchkey/sdk'

/** What the person can do about an error, if the console knows it; otherwise the server's message. */
export function messageOf(error: unknown): string {
  if (error instanceof PermissionDenied && error.missing !== undefined) {
    const { resource, segment, access } = error.missing
    const place = segment === undefined ? '' : ` on “${segment}”`
    return `This needs ${resource}:${access}${place}, which your token does not have.`
  }
  if (error instanceof Timeout)
    return 'The server took too long to answer. It may be busy, or the connection slow.'
  if (error instanceof Unavailable && error.status === undefined)
    return 'The server cannot be reached. Check that it is running and that you are online.'
  // The leading method name and status mean nothing to people here.
  if (error instanceof LatchkeyError) return error.message.replace(/^[\w.]+: (\d{3} )?/, '')
  if (isNotLoaded(error))
    return 'The server cannot be reached, or it was updated and this page has a new version.'
  return error instanceof Error ? error.message : String(error)
}

/** How browsers report that a file of the console did not load: the server is away, or was updated and has other files. */
const NOT_LOADED = /dynamically imported module|importing a module|module script/i

export function isNotLoaded(error: unknown): boolean {
  return error instanceof Error && NOT_LOADED.test(error.message)
}
