#!/usr/bin/env node
/** Only this file reads the environment and the arguments. */

const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 24) {
  console.error(`latchkey-server needs Node 24 or later, not ${process.versions.node}`)
  process.exit(1)
}
const { runCli } = await import('./cli/program.ts')
const exitCode = await runCli(process.argv.slice(2), process.env)
if (exitCode !== undefined) process.exitCode = exitCode
