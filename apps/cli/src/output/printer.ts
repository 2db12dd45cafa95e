/** Prints the results of commands in the format that the person chose. */
import { visibleJson } from '@latchkey/contract/plain'
import { type Io, type Paint, painterFor, write, writeData } from '../frame/io.ts'
import type { Column } from './table.ts'

export const FORMATS = ['table', 'json', 'yaml', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]

interface PrinterOptions {
  readonly format: Format
  readonly showsSecrets: boolean
}

export class Printer {
  readonly paint: Paint
  private readonly io: Io
  private readonly options: PrinterOptions

  constructor(io: Io, options: PrinterOptions) {
    this.io = io
    this.options = options
    this.paint = painterFor(io.env, io.stdout)
  }

  get isTable(): boolean {
    return this.options.format === 'table'
  }

  /** Prints one record per line. If there are none, standard error says so. */
  async list<T extends object>(
    rows: readonly T[],
    columns: readonly Column<T>[],
    none: string,
  ): Promise<void> {
    const shown = this.shown(rows)
    if (!this.isTable) return this.data(shown)
    if (shown.length === 0) return write(this.io.stderr, `${none}\n`)
    const { renderTable } = await import('./table.ts')
    const { isTTY, columns: width } = this.io.stdout
    await this.text(
      renderTable(shown, columns, { paint: this.paint, width: isTTY === true ? width : undefined }),
    )
  }

  async record<T extends object>(record: T, columns: readonly Column<T>[]): Promise<void> {
    const shown = this.shown(record)
    if (!this.isTable) return this.data(shown)
    const { renderRecord } = await import('./table.ts')
    await this.text(renderRecord(shown, columns, this.paint))
  }

  /** Prints a value as data: one document, or a line per record. */
  async data(value: unknown): Promise<void> {
    const { format } = this.options
    if (format === 'ndjson') {
      const records: readonly unknown[] = Array.isArray(value) ? value : [value]
      return this.raw(records.map((record) => `${json(record)}\n`).join(''))
    }
    if (format === 'yaml') return this.raw((await import('yaml')).stringify(value, { lineWidth: 0 }))
    return this.raw(`${json(value, 2)}\n`)
  }

  /** Prints one state of a watch, always as one document: a line, even for a list; YAML with a separator. */
  async state(value: unknown): Promise<void> {
    const { format } = this.options
    const shown = this.shown(value)
    if (format === 'ndjson') return this.data([shown])
    if (format === 'json') return this.data(shown)
    const text = (await import('yaml')).stringify(shown, { lineWidth: 0 })
    return this.raw(format === 'yaml' ? `---\n${text}` : text)
  }

  text(text: string): Promise<void> {
    return write(this.io.stdout, text)
  }

  /** Prints a text that scripts get as it is. */
  raw(text: string): Promise<void> {
    return writeData(this.io.stdout, text)
  }

  /** The value without secrets, unless `--show-secret` is given. */
  private shown<T>(value: T): T {
    return this.options.showsSecrets ? value : (redacted(value) as T)
  }
}

const SECRET_FIELDS: ReadonlySet<string> = new Set(['SecretID', 'OIDCClientSecret', 'ServiceAccountJWT'])

/** A copy without secrets. Empty secrets remain empty. */
function redacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redacted)
  if (typeof value !== 'object' || value === null) return value
  const secret = Reflect.get(value, 'SecretID')
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      // A bootstrap token repeats its secret as ID, for older clients.
      const isSecret = SECRET_FIELDS.has(name) || (name === 'ID' && field === secret)
      return [name, isSecret && field !== '' ? '<hidden>' : redacted(field)]
    }),
  )
}

/** JSON, in which 64-bit integers, such as the flags of a key, remain numbers. */
function json(value: unknown, indent?: number): string {
  const bigints: string[] = []
  const text = JSON.stringify(
    value,
    (_, field: unknown) => {
      if (typeof field !== 'bigint') return field
      bigints.push(String(field))
      return `\u0000${bigints.length - 1}`
    },
    indent,
  )
  return visibleJson(text).replace(
    /"\\u0000(\d+)"/g,
    (_, position: string) => bigints[Number(position)] ?? '0',
  )
}
