#!/usr/bin/env node
/** Only this file reads the environment and the arguments. */
import { runCli } from './cli/program.ts'

const exitCode = await runCli(process.argv.slice(2), process.env)
if (exitCode !== undefined) process.exitCode = exitCode
