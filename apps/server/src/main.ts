#!/usr/bin/env node
/** Only this file reads the environment and the arguments. */
import { keepTickShape } from './heap/keep-tick-shape.ts'
import { loadLightly } from './heap/load-lightly.ts'

keepTickShape()
const { runCli } = await loadLightly(() => import('./cli/program.ts'))
const exitCode = await runCli(process.argv.slice(2), process.env)
if (exitCode !== undefined) process.exitCode = exitCode
