/** Bodies from files: YAML or JSON, checked against the schemas of the contract before anything is sent. */
import { readFileSync } from 'node:fs'
import type { ZodError } from 'zod'
import { CliError, EXIT, systemProblem } from '../frame/cli-error.ts'
import type { Input } from '../frame/input.ts'
import { readInput } from '../frame/io.ts'
import type { Session } from '../frame/session.ts'

/** The subset of a zod schema that is used here. */
export interface BodySchema<T> {
  safeParse(
    value: unknown,
  ): { readonly success: true } | { readonly success: false; readonly error: Pick<ZodError, 'issues'> }
  readonly _zod: { readonly input: T }
}

/** Reads a file, or standard input for `-`. */
export async function readText(path: string, session: Session): Promise<string> {
  if (path === '-') return (await readInput(session.io)).toString('utf8')
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new CliError(`cannot read ${path}: ${systemProblem(error)}`, { cause: error })
  }
}

/** A key or certificate on one line, as YAML folds a text that is pasted without `|`. */
const FOLDED_PEM = /(-----BEGIN ([A-Z0-9 ]+)-----) +([A-Za-z0-9+/= ]+?) +(-----END \2-----) ?/g

/** A reviver for YAML that gives keys and certificates their line ends back. */
export function unfoldPem(_: unknown, value: unknown): unknown {
  if (typeof value !== 'string' || value.includes('\n')) return value
  return value.replace(
    FOLDED_PEM,
    (...[, begin, , body, end]) => `${[begin, ...body.split(/ +/), end].join('\n')}\n`,
  )
}

/** Reads a value from YAML or JSON, and checks it. @throws CliError that names the invalid fields. */
export async function readRecord<T>(path: string, schema: BodySchema<T>, session: Session): Promise<T> {
  const { parse } = await import('yaml')
  const text = await readText(path, session)
  let value: unknown
  try {
    value = parse(text, unfoldPem)
  } catch (error) {
    throw new CliError(`${path} is not YAML: ${error instanceof Error ? error.message : error}`, {
      exitCode: EXIT.invalid,
    })
  }
  const result = schema.safeParse(value)
  if (result.success) return value as T
  const problems = result.error.issues.map(({ path: field, message }) =>
    field.length === 0 ? message : `${field.map(String).join('.')}: ${message}`,
  )
  throw new CliError(`${path}: ${problems.join('; ')}`, { exitCode: EXIT.invalid })
}

/** Matches text that can only be rules and not the name of a file. */
const RULES_TEXT = /[{="\n]/

/** The rules of `--rules` (a file, `@FILE`, `-` or the rules themselves) or `--rule TEXT`; `undefined` without either. */
export async function givenRules(input: Input, session: Session): Promise<string | undefined> {
  const path = input.text('rules')
  if (path === undefined) return input.texts('rule')?.join('\n')
  return RULES_TEXT.test(path) ? path : readText(path.replace(/^@/, ''), session)
}
