/** Pauses replication: it applies nothing until an operator or the primary acts, and the stored records stay. */
export class Paused extends Error {
  override readonly name = 'Paused'
}
