/**
 * Loaded into a server process (`node --expose-gc --import …`): on SIGUSR2 it collects garbage, and tells in a line of
 * JSON on standard error what memory is left, in bytes.
 */
process.on('SIGUSR2', () => {
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  process.stderr.write(`${JSON.stringify({ memory: { rss, heapUsed } })}\n`)
})
