/**
 * Loaded into a server process (`node --expose-gc --import …`): on SIGUSR2 it collects garbage and prints the remaining
 * memory in bytes, as a line of JSON on standard error.
 */
process.on('SIGUSR2', () => {
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  process.stderr.write(`${JSON.stringify({ memory: { rss, heapUsed } })}\n`)
})
