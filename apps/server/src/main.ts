#!/usr/bin/env node
/** Only this file reads the environment and the arguments. */

/**
 * Bounds of the heap, for the promise of DOS-05: under a flood, at most twice the memory of an idle server (200 MB). V8 itself
 * lets garbage grow to three times the live objects, and the young generation to 32 MiB a half: pipelined floods took
 * 400 MB with either option alone, and take 280 to 300 with both.
 */
const YOUNG_GENERATION = '--max-semi-space-size=16'
const GARBAGE = '--heap-growing-percent=50'

const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 24) {
  console.error(`latchkey-server needs Node 24 or later, not ${process.versions.node}`)
  process.exit(1)
}
// V8 reads the first option when a process starts only. So this process starts again in place, with the same process ID.
// A channel to a parent process would be lost, and Windows cannot do it: there, V8's own bounds apply.
if (
  process.execve &&
  process.platform !== 'win32' &&
  !process.channel &&
  !process.execArgv.includes(YOUNG_GENERATION)
) {
  process.execve(
    process.execPath,
    [process.execPath, YOUNG_GENERATION, GARBAGE, ...process.execArgv, ...process.argv.slice(1)],
    process.env,
  )
}
const { runCli } = await import('./cli/program.ts')
const exitCode = await runCli(process.argv.slice(2), process.env)
if (exitCode !== undefined) process.exitCode = exitCode
