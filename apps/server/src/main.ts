#!/usr/bin/env node
/** The only reader of the environment and of the arguments. */
import { runCli } from './cli/program.ts'

const exitCode = await runCli(process.argv.slice(2), process.env)
if (exitCode !== undefined) process.exitCode = exitCode
