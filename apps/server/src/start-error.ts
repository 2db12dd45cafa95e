/**
 * The server cannot start (or stay up) for a reason an operator can act on.
 *
 * The message says what is wrong and what to do about it, over several lines where that helps. It is printed
 * without a stack and never carries a secret: no key, no token, no password of a database URL.
 */
export class StartError extends Error {
  override readonly name = 'StartError'
}
