/** The file is damaged, truncated, or not an archive. `byte` is an offset in `state.bin`. The message has no secret. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
  readonly byte: number | undefined

  constructor(message: string, options: { readonly byte?: number; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.byte = options.byte
  }
}
