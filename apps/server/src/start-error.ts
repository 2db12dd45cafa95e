/**
 * The server cannot start (or stay up) for a reason an operator can fix.
 *
 * The message explains the problem and the fix, over several lines if that helps. It is printed without a stack and
 * never contains a secret: no key, token, or password of a database URL.
 */
export class StartError extends Error {
  override readonly name = 'StartError'
}
