#!/usr/bin/env node
import { runCli } from './cli/program.ts'

/**
 * Ctrl-C, for commands that wait for something and have to tidy up or say how to go on. Only they ask for it: what
 * computes without a pause is ended by the system at once.
 */
function listenForInterrupt(): AbortSignal {
  const interrupted = new AbortController()
  process.on('SIGINT', () => {
    // A second Ctrl-C ends what does not end by itself.
    if (interrupted.signal.aborted) process.exit(130)
    interrupted.abort()
  })
  return interrupted.signal
}

let signal: AbortSignal | undefined

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
process.exitCode = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  get signal() {
    signal ??= listenForInterrupt()
    return signal
  },
})
