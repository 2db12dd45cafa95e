/** Makes reads abortable, because a pipe may never deliver data. */

/**
 * Yields the chunks of a stream until the signal aborts.
 *
 * Racing each chunk against the signal would keep every chunk in memory, because the signal outlives them. Instead,
 * the signal destroys the stream, which fails the pending read.
 *
 * @throws the reason of the signal.
 */
export async function* abortable<T>(chunks: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  signal.throwIfAborted()
  const stop = () => {
    if ('destroy' in chunks && typeof chunks.destroy === 'function') chunks.destroy(signal.reason)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const chunk of chunks) {
      signal.throwIfAborted()
      yield chunk
    }
    signal.throwIfAborted()
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
