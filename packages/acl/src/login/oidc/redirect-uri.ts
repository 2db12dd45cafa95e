/** Decides to which URIs a browser may return after a login. Decisions: login. */

/**
 * Whether a redirect URI is among the allowed ones, compared as text. On a loopback host, any port is allowed: programs
 * on the user's machine cannot know their port in advance.
 */
export function isRedirectUriAllowed(uri: string, allowed: readonly string[]): boolean {
  if (allowed.includes(uri)) return true
  const loopback = withoutPort(uri)
  return loopback !== undefined && allowed.some((each) => withoutPort(each) === loopback)
}

/**
 * Matches the text itself: a URL parser would convert names such as `127.1` to loopback hosts. Only a port, a path or a
 * query may follow the host, which rules out a user (`127.0.0.1:80@evil`), a longer name or a zone (`[::1%25x]`).
 */
const LOOPBACK = /^(https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?((?:\/[^?#]*)?(?:\?[^#]*)?)$/

/** @returns `undefined` for a host other than loopback. */
function withoutPort(uri: string): string | undefined {
  const [, origin, rest] = LOOPBACK.exec(uri) ?? []
  return origin === undefined ? undefined : `${origin}${rest}`
}
