/** Nothing is applied until an operator, or the primary, does something. What is stored stays. */
export class Paused extends Error {
  override readonly name = 'Paused'
}
