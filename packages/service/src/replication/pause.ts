/** Replication applies nothing until an operator or the primary acts, and keeps what is stored. */
export class Paused extends Error {
  override readonly name = 'Paused'
}
