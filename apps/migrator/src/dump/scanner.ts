/** The rules' scanner of dumps, with errors that name the file. */
import { type DumpRecord, DumpSyntaxError, DumpScanner as Scanner } from '@latchkey/acl'
import { EXIT, InputError } from '../errors.ts'

export type { DumpRecord }

export class DumpScanner {
  private readonly file: string
  private readonly scanner = new Scanner()

  constructor(file: string) {
    this.file = file
  }

  /** Takes the next bytes and returns the objects they complete. @throws InputError */
  push(bytes: Uint8Array): DumpRecord[] {
    return this.try(() => this.scanner.push(bytes))
  }

  /** Ends the input. @throws InputError if the dump is truncated or empty. */
  end(): DumpRecord[] {
    return this.try(() => this.scanner.end())
  }

  /** Number of objects so far. */
  get count(): number {
    return this.scanner.count
  }

  private try(scan: () => DumpRecord[]): DumpRecord[] {
    try {
      return scan()
    } catch (error) {
      if (!(error instanceof DumpSyntaxError)) throw error
      const { message, line, byte } = error
      throw new InputError(message, { place: { file: this.file, line, byte }, exitCode: EXIT.failed })
    }
  }
}
