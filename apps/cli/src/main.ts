#!/usr/bin/env node
/** Only this file touches the process. */
import { enableCompileCache } from 'node:module'

enableCompileCache()
const { runCli } = await import('./program.ts')

const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    // A second one ends a command that does not end by itself.
    if (interrupted.signal.aborted) process.exit(130)
    interrupted.abort()
  })
}
// A reader that closes the pipe, such as `head`, has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.exitCode = 1
})
process.exitCode = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  signal: interrupted.signal,
})
