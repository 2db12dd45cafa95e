/** The archive is damaged, cut off, or not one. `byte` is a place in `state.bin`. The message carries no secret. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
  readonly byte: number | undefined

  constructor(message: string, options: { readonly byte?: number; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.byte = options.byte
  }
}
