/** Reading that Ctrl-C can end: a pipe may stay silent for ever. */

/** The chunks of a stream, until the signal. @throws the reason of the signal. */
export async function* abortable<T>(chunks: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = chunks[Symbol.asyncIterator]()
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  aborted.catch(() => undefined)
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted])
      if (next.done === true) return
      yield next.value
    }
  } finally {
    // A stream that is not read on must not keep the process alive.
    if ('destroy' in chunks && typeof chunks.destroy === 'function') chunks.destroy()
    else await iterator.return?.()
  }
}
