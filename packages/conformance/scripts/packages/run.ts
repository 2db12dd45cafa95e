/** Programs that the check runs, and what they print. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const PACKAGE = join(import.meta.dirname, '../..')

/** The path of a tool inside its package. */
export function bin(name: string, path: string): string {
  return join(PACKAGE, 'node_modules', name, path)
}

/** Runs a script with this Node. */
export function node(script: string, args: readonly string[], cwd: string): string {
  return run(process.execPath, [script, ...args], cwd)
}

/** @throws Error with all that was printed, where the program fails. */
export function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): string {
  try {
    return execFileSync(program, args, {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error })
  }
}

/** What an action fails with; empty where it does not. */
export function failureOf(action: () => unknown): string {
  try {
    action()
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

export function expectOutput(expected: string, output: string): void {
  if (output.trim() !== expected) throw new Error(`expected ${expected}, not ${output.trim()}`)
}
