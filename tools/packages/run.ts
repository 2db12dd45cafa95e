/** Runs the programs of the check and collects their output. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const PACKAGE = join(import.meta.dirname, '..')

const execute = promisify(execFile)

/** Prints the step and its duration. */
export async function step<T>(title: string, action: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const result = await action()
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  ${title}`)
  return result
}

/** The path of a tool inside its package. */
export function bin(name: string, path: string): string {
  return join(PACKAGE, 'node_modules', name, path)
}

/** Runs a script with this Node. */
export function node(script: string, args: readonly string[], cwd: string): Promise<string> {
  return run(process.execPath, [script, ...args], cwd)
}

/** @throws Error with the whole output, if the program fails. */
export async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    const options = { cwd, encoding: 'utf8', env: { ...process.env, ...env }, maxBuffer: 1e8 } as const
    return (await execute(program, args, options)).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error })
  }
}

/** The message of an action's failure; empty if it succeeds. */
export async function failureOf(action: () => Promise<unknown>): Promise<string> {
  try {
    await action()
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

export function expectOutput(expected: string, output: string): void {
  if (output.trim() !== expected) throw new Error(`expected ${expected}, not ${output.trim()}`)
}
