#!/usr/bin/env node
import { runCli } from './cli/program.ts'

const interrupted = new AbortController()
process.on('SIGINT', () => {
  // A second Ctrl-C ends what does not end by itself.
  if (interrupted.signal.aborted) process.exit(130)
  interrupted.abort()
})
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
process.exitCode = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  signal: interrupted.signal,
})
