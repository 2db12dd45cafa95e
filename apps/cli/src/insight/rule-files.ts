/** `lint`, `rules fmt` and `rules translate`: work on rule files, without a server. */
import { writeFileSync } from 'node:fs'
import { formatRules, lintRules, translateLegacyRules } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { CliError, EXIT, systemProblem } from '../frame/cli-error.ts'
import type { Action } from '../frame/command-spec.ts'
import type { Paint } from '../frame/io.ts'
import { readText } from '../records/read-body.ts'

export const lint: Action = async (session, input) => {
  const found = await Promise.all(
    input.args.map(async (path) => {
      const text = await readText(path, session)
      return { path, text, findings: lintRules(text) }
    }),
  )
  const all = found.flatMap(({ path, findings }) => findings.map((finding) => ({ path, ...finding })))
  if (!session.out.isTable) {
    await session.out.data(
      all.map(({ path, code, severity, message, line, column }) => ({
        ...{ File: path, Code: code, Severity: severity, Message: message, Line: line, Column: column },
      })),
    )
  } else if (all.length === 0) {
    await session.note('No findings.')
  } else {
    const { paint } = session.out
    await session.out.text(
      found.map(({ path, findings, text }) => renderFindings(path, findings, text, paint)).join(''),
    )
  }
  return all.some(({ severity }) => severity === 'error') ? EXIT.invalid : EXIT.done
}

export const format: Action = async (session, input) => {
  let differs = false
  for (const path of input.args) {
    const text = await readText(path, session)
    const formatted = atPlace(path, () => formatRules(text))
    if (input.flag('check')) {
      if (formatted === text) continue
      differs = true
      await session.out.text(`${path}\n`)
    } else if (input.flag('write') && path !== '-') {
      if (formatted !== text) writeText(path, formatted)
    } else {
      await session.out.raw(formatted)
    }
  }
  return differs ? EXIT.differs : EXIT.done
}

export const translate: Action = async (session, input) => {
  const path = input.arg(0)
  const text = await readText(path, session)
  const widening = input.flag('keepIgnored') ? 'keep' : 'comment-out'
  const { rules, notes } = atPlace(path, () => translateLegacyRules(text, { widening }))
  for (const { message } of notes) await session.note(`${path}: ${message}`)
  await session.out.raw(rules.endsWith('\n') || rules === '' ? rules : `${rules}\n`)
}

/** @throws CliError with file, line and column for rules that cannot be parsed. */
function atPlace<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AclError)) throw error
    throw new CliError(`${path}: ${error.message}`, { exitCode: EXIT.invalid, cause: error })
  }
}

function writeText(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (error) {
    throw new CliError(`cannot write ${path}: ${systemProblem(error)}`, { cause: error })
  }
}

const STYLES = { error: 'red', warning: 'yellow', info: 'cyan' } as const

/** Each finding with its source line, and a mark below the column. */
export function renderFindings(
  path: string,
  findings: ReturnType<typeof lintRules>,
  text: string,
  paint: Paint,
): string {
  const lines = text.split('\n')
  return findings
    .map(({ severity, message, line, column }) => {
      const source = lines[line - 1] ?? ''
      const mark = `${source.slice(0, column - 1).replace(/[^\t]/g, ' ')}^`
      return `${path}:${line}:${column}: ${paint(STYLES[severity], severity)}: ${message}\n  ${source}\n  ${mark}\n`
    })
    .join('')
}
