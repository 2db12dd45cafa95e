import { CliError } from './cli-error.ts'

export class Input {
  /** The arguments, without the words of the command. Absent optional arguments are left out. */
  readonly args: readonly string[]
  private readonly options: Readonly<Record<string, unknown>>

  constructor(args: readonly string[], options: Readonly<Record<string, unknown>>) {
    this.args = args
    this.options = options
  }

  /** A required argument; commander has checked that it is present. */
  arg(position: number): string {
    return this.args[position] ?? ''
  }

  /** The value of an option, by its name in camel case; `undefined` if it was not given. */
  text(name: string): string | undefined {
    const value = this.options[name]
    return typeof value === 'string' ? value : undefined
  }

  /** The values of an option that may be given several times; `undefined` if it was not given. */
  texts(name: string): readonly string[] | undefined {
    const value = this.options[name]
    return Array.isArray(value) ? value.map(String) : undefined
  }

  flag(name: string): boolean {
    return this.options[name] === true
  }

  /** @throws CliError unless the option is absent or a whole number. */
  count(name: string): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    if (!/^\d{1,15}$/.test(text)) throw new CliError(`--${flag} takes a whole number, not "${text}"`)
    return Number(text)
  }
}
