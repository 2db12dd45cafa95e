/** The built-in scenarios: one for every numbered line of spec 9.2, and for every oddity of 9.3 and 9.5. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { InputError } from '../errors.ts'
import { readScenario } from './read.ts'
import type { Scenario } from './scenario.ts'
import { didYouMean } from './source.ts'

export const BUILTIN_PREFIX = 'builtin:'

const FOLDER = new URL('../../scenarios/', import.meta.url)

export function builtinNames(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .sort()
}

export function builtinText(name: string): string {
  if (!builtinNames().includes(name)) {
    throw new InputError(
      `unknown built-in scenario ${name}${didYouMean(name, builtinNames())}; simulate --list names all`,
    )
  }
  return readFileSync(fileURLToPath(new URL(`${name}.yaml`, FOLDER)), 'utf8')
}

export function readBuiltin(name: string): Scenario {
  return readScenario(builtinText(name), `${BUILTIN_PREFIX}${name}`)
}
