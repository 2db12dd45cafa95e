/** The rules' scanner of dumps, with errors that name the file. */
import { type DumpRecord, DumpSyntaxError, DumpScanner as Scanner } from '@latchkey/acl'
import { EXIT, InputError } from '../errors.ts'

export type { DumpRecord }

export class DumpScanner {
  readonly #file: string
  readonly #scanner = new Scanner()

  constructor(file: string) {
    this.#file = file
  }

  /** Takes the next bytes and hands out the objects that are complete with them. @throws InputError */
  push(bytes: Uint8Array): DumpRecord[] {
    return this.#try(() => this.#scanner.push(bytes))
  }

  /** There are no more bytes. @throws InputError where the dump is cut off, or empty. */
  end(): DumpRecord[] {
    return this.#try(() => this.#scanner.end())
  }

  /** How many objects there were so far. */
  get count(): number {
    return this.#scanner.count
  }

  #try(scan: () => DumpRecord[]): DumpRecord[] {
    try {
      return scan()
    } catch (error) {
      if (!(error instanceof DumpSyntaxError)) throw error
      const { message, line, byte } = error
      throw new InputError(message, { place: { file: this.#file, line, byte }, exitCode: EXIT.failed })
    }
  }
}
