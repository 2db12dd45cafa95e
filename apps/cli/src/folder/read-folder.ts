/** Reads a folder of YAML. Every document is one record, and all are validated before anything is compared or sent. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findRulesProblem } from '@latchkey/acl'
import { type Document, LineCounter, parseAllDocuments } from 'yaml'
import { CliError, EXIT, systemProblem } from '../frame/cli-error.ts'
import type { Fields } from '../records/find.ts'
import { type BodySchema, unfoldPem } from '../records/read-body.ts'
import { contentOf, FOLDER_KINDS, folderKeyOf, KIND_NAMES, type KindName } from './kinds.ts'

export interface WantedRecord {
  readonly kind: KindName
  readonly namespace: string | undefined
  readonly key: string
  readonly content: Fields
  /** `shop.yaml:12`. */
  readonly place: string
}

const YAML_FILE = /\.ya?ml$/

/** @throws CliError, exit code 6, which lists every problem of every file. */
export function readFolder(path: string): WantedRecord[] {
  const problems: string[] = []
  const records = filesOf(path).flatMap((file) => readFile(file, problems))
  const seen = new Map<string, string>()
  for (const { kind, namespace = '', key, place } of records) {
    const id = `${kind} ${namespace} ${key}`
    const other = seen.get(id)
    if (other !== undefined) problems.push(`${place}: ${kind} ${key} is also in ${other}`)
    seen.set(id, place)
  }
  if (problems.length === 0) return records
  throw new CliError(`${problems.length === 1 ? 'a record' : `${problems.length} records`} cannot be used`, {
    exitCode: EXIT.invalid,
    hints: problems,
  })
}

function filesOf(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path]
    return readdirSync(path, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.'))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const inside = join(path, entry.name)
        if (entry.isDirectory()) return filesOf(inside)
        return YAML_FILE.test(entry.name) ? [inside] : []
      })
  } catch (error) {
    throw new CliError(`cannot read ${path}: ${systemProblem(error)}`, { cause: error })
  }
}

function readFile(file: string, problems: string[]): WantedRecord[] {
  const lineCounter = new LineCounter()
  const documents = parseAllDocuments(readFileSync(file, 'utf8'), { lineCounter })
  if (!Array.isArray(documents)) return []
  return (documents as Document.Parsed[]).flatMap((document) => {
    const [fault] = document.errors
    if (fault !== undefined) {
      problems.push(`${file}: ${fault.message.split('\n')[0]}`)
      return []
    }
    const value: unknown = document.toJS({ reviver: unfoldPem })
    if (value === null) return []
    const place = `${file}:${lineCounter.linePos(document.range[0]).line}`
    const found = checkRecord(value, place)
    if (typeof found !== 'string') return [found]
    problems.push(found)
    return []
  })
}

function checkRecord(value: unknown, place: string): WantedRecord | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${place}: not a record`
  const { kind: word, Namespace, ...fields } = value as Record<string, unknown>
  const kind = KIND_NAMES.find((name) => name === word)
  if (kind === undefined)
    return `${place}: kind is ${JSON.stringify(word) ?? 'absent'}, not one of ${KIND_NAMES.join(', ')}`
  if (Namespace !== undefined && typeof Namespace !== 'string')
    return `${place}: Namespace: expected a string`
  const { schema, fields: managed, required } = FOLDER_KINDS[kind]
  const result = (schema as BodySchema<object>).safeParse(fields)
  if (!result.success) {
    const [issue] = result.error.issues
    return `${place}: ${[issue?.path.join('.'), issue?.message].filter(Boolean).join(': ')}`
  }
  const stranger = Object.keys(fields).find((name) => !managed.includes(name))
  if (stranger !== undefined) return `${place}: ${describeUnknownField(stranger)}`
  const content = contentOf(kind, fields)
  const missing = required.find((field) => content[field] === undefined)
  if (missing !== undefined) return `${place}: a ${kind} needs ${missing}`
  const { Rules } = content
  const fault =
    linkFault(fields) ?? (typeof Rules === 'string' ? findRulesProblem(Rules)?.message : undefined)
  if (fault !== undefined) return `${place}: ${fault}`
  return { kind, namespace: Namespace, key: folderKeyOf(kind, content), content, place }
}

function describeUnknownField(field: string): string {
  if (field === 'SecretID') return 'SecretID: folders contain no secrets; the service generates one'
  if (field === 'ExpirationTTL') return 'ExpirationTTL: use ExpirationTime, a fixed point in time'
  return `${field}: a folder does not manage this field`
}

function linkFault(fields: Fields): string | undefined {
  const unnamed = ['Policies', 'Roles'].find((name) => {
    const links = fields[name]
    return Array.isArray(links) && links.some((link: { readonly Name?: string }) => !link.Name)
  })
  if (unnamed === undefined) return undefined
  return `${unnamed}: name each link, such as "- Name: orders-read"; IDs differ between services`
}
