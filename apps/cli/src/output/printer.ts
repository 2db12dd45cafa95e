/** Prints the results of commands in the format that the person chose. */
import { visible, visibleJson } from '@latchkey/contract/plain'
import { type Io, type Paint, painterFor, write, writeData } from '../frame/io.ts'
import type { Column } from './column.ts'
import type { Format } from './formats.ts'
import { page } from './pager.ts'
import { redact } from './redact.ts'
import { fillTemplate } from './template.ts'

interface PrinterOptions {
  readonly format: Format
  /** For the format `template`. */
  readonly template: string
  readonly showsSecrets: boolean
  readonly pages: boolean
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
    await this.text(renderTable(shown, columns, { paint: this.paint, width: this.width }))
  }

  /** Prints one record, a field per line. */
  async record<T extends object>(record: T, columns: readonly Column<T>[]): Promise<void> {
    const shown = this.shown(record)
    if (!this.isTable) return this.data(shown)
    const { renderRecord } = await import('./table.ts')
    await this.text(renderRecord(shown, columns, this.paint))
  }

  /** Prints a value as data: one document, or a line per record. */
  async data(value: unknown): Promise<void> {
    const { format, template } = this.options
    const records: readonly unknown[] = Array.isArray(value) ? value : [value]
    if (format === 'ndjson') return this.raw(records.map((record) => `${json(record)}\n`).join(''))
    if (format === 'template') {
      return this.raw(records.map((record) => `${fillTemplate(template, record)}\n`).join(''))
    }
    if (format === 'yaml') return this.raw((await import('yaml')).stringify(value, { lineWidth: 0 }))
    return this.raw(`${json(value, 2)}\n`)
  }

  /** Prints one state of a watch, always as one document: a line, even for a list; YAML with a separator. */
  async state(value: unknown): Promise<void> {
    const { format } = this.options
    const shown = this.shown(value)
    if (format === 'ndjson') return this.data([shown])
    if (format !== 'table' && format !== 'yaml') return this.data(shown)
    const text = (await import('yaml')).stringify(shown, { lineWidth: 0 })
    return writeData(this.io.stdout, format === 'yaml' ? `---\n${text}` : text)
  }

  /** Prints a text for people, through a pager if it is longer than the terminal. */
  async text(text: string): Promise<void> {
    if (!(await this.isPaged(text))) await write(this.io.stdout, text)
  }

  /** Prints a text that scripts get as it is, through a pager if it is longer than the terminal. */
  async raw(text: string): Promise<void> {
    if (!(await this.isPaged(text))) await writeData(this.io.stdout, text)
  }

  private async isPaged(text: string): Promise<boolean> {
    const rows = this.io.stdout.isTTY === true ? this.io.stdout.rows : undefined
    if (!this.options.pages || rows === undefined || text.split('\n').length <= rows) return false
    return page(visible(text), this.io.env)
  }

  /** The value without secrets, unless `--show-secret` is given. */
  shown<T>(value: T): T {
    return this.options.showsSecrets ? value : redact(value)
  }

  private get width(): number | undefined {
    return this.io.stdout.isTTY === true ? this.io.stdout.columns : undefined
  }
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
