#!/usr/bin/env node
/** Only this file reads the environment and the arguments. */
import { setFlagsFromString } from 'node:v8'

const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 24) {
  console.error(`latchkey-server needs Node 24 or later, not ${process.versions.node}`)
  process.exit(1)
}
// Bounds the garbage of the heap at half of its live objects, for the promise of DOS-05: under a flood, no more than twice the
// idle memory. V8 itself lets garbage grow to three times as much: a flood of lint took 489 MB instead of 200.
setFlagsFromString('--heap-growing-percent=50')
const { runCli } = await import('./cli/program.ts')
const exitCode = await runCli(process.argv.slice(2), process.env)
if (exitCode !== undefined) process.exitCode = exitCode
