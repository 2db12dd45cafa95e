#!/usr/bin/env node
import { runCli } from './cli/program.ts'
import { EXIT } from './errors.ts'

/** Handles Ctrl-C for commands that wait; without a handler, the system terminates the process at once. */
function listenForInterrupt(): AbortSignal {
  const interrupted = new AbortController()
  process.on('SIGINT', () => {
    // A second Ctrl-C terminates a command that does not stop by itself.
    if (interrupted.signal.aborted) process.exit(130)
    interrupted.abort()
  })
  return interrupted.signal
}

let signal: AbortSignal | undefined

let isOutputLost = false
// Commands report their own write errors. The help output is not checked, so its exit code is set here.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return
  isOutputLost = true
  process.exitCode = EXIT.failed
})
const code = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  get signal() {
    signal ??= listenForInterrupt()
    return signal
  },
})
process.exitCode = isOutputLost ? EXIT.failed : code
