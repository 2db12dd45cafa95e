#!/usr/bin/env node
/** Only this file accesses the process. */
// On an older Node, a named import would be a syntax error, before the version check could run.
import * as nodeModule from 'node:module'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 12)) {
  console.error(`error: latchkey needs Node 22.12 or later, not ${process.versions.node}`)
  process.exit(1)
}
nodeModule.enableCompileCache()
const { runCli } = await import('./program.ts')

const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    // A second Ctrl-C terminates a command that does not stop by itself.
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
