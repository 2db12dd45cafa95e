import type { Command } from 'commander'
import type { ExitCode } from '../errors.ts'
import type { Io } from './io.ts'

/** Adds a command to the program. The command reports its exit code when it has run. */
export type AddCommand = (program: Command, io: Io, done: (code: ExitCode) => void) => void
