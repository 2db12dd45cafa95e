#!/usr/bin/env node
import { runCli } from './cli/program.ts'
import { EXIT } from './errors.ts'

/**
 * Handles Ctrl-C for commands that wait and have to clean up or say how to resume. Only they subscribe to it:
 * the system ends a command that only computes at once.
 */
function listenForInterrupt(): AbortSignal {
  const interrupted = new AbortController()
  process.on('SIGINT', () => {
    // A second Ctrl-C ends a command that does not end by itself.
    if (interrupted.signal.aborted) process.exit(130)
    interrupted.abort()
  })
  return interrupted.signal
}

let signal: AbortSignal | undefined

let isOutputLost = false
// The command that wrote reports the error; only help ends without looking.
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
