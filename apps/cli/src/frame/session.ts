/** The tools of an action: client, printer, and prompts. */
import { visible } from '@latchkey/contract/plain'
import type { Client, ContractBroken } from '@latchkey/sdk'
import type { Connection } from '../context/connection.ts'
import { type Format, Printer } from '../output/printer.ts'
import { CliError, EXIT } from './cli-error.ts'
import type { Input } from './input.ts'
import { type Io, type Paint, Progress, painterFor, write } from './io.ts'

/** Fewer retries than the SDK's default, because a person is waiting. */
const RETRIES = 2

export class Session {
  readonly io: Io
  readonly out: Printer
  readonly progress: Progress
  readonly paint: Paint
  readonly showsSecrets: boolean
  /** A field that the last incomplete answer lacks. A command that cannot do without it fails with a TypeError. */
  gap: ContractBroken | undefined
  private readonly input: Input
  private resolved: Promise<Connection> | undefined
  private connected: Promise<Client> | undefined

  constructor(io: Io, input: Input) {
    this.io = io
    this.input = input
    this.showsSecrets = input.flag('showSecret')
    this.out = new Printer(io, {
      format: (input.text('output') ?? 'table') as Format,
      showsSecrets: this.showsSecrets,
    })
    this.progress = new Progress(io)
    this.paint = painterFor(io.env, io.stderr)
  }

  connection(): Promise<Connection> {
    this.resolved ??= import('../context/connection.ts').then(({ resolveConnection }) =>
      resolveConnection(this.input, this.io.env),
    )
    return this.resolved
  }

  client(): Promise<Client> {
    this.connected ??= this.connection().then((connection) => this.connect(connection))
    return this.connected
  }

  /** A client for a different connection, such as a new login. */
  async connect(
    connection: Pick<Connection, 'address' | 'secret' | 'namespace' | 'datacenter'>,
    headerPrefix = this.io.env.LATCHKEY_HEADER_PREFIX,
  ): Promise<Client> {
    const [{ createClient }, { checkedFetch }] = await Promise.all([
      import('@latchkey/sdk'),
      import('./checked-fetch.ts'),
    ])
    const { address, secret, namespace, datacenter } = connection
    if (!/^https?:\/\/[^/]/.test(address) || !URL.canParse(address))
      throw new CliError(`"${address}" is not an address: write it like https://acl.example.com`)
    const { fetch = globalThis.fetch } = this.io
    try {
      return createClient({
        address,
        token: secret,
        namespace,
        datacenter,
        fetch: checkedFetch(fetch, address, (gap) => {
          this.gap = gap
        }),
        env: false,
        retries: RETRIES,
        ...(headerPrefix ? { headerPrefix } : {}),
        onRetry: ({ attempt, error }) => this.progress.show(`retry ${attempt}: ${error.message}`),
      })
    } catch (error) {
      if (error instanceof TypeError) throw new CliError(error.message, { cause: error })
      throw error
    }
  }

  /** Prints a remark for people to standard error. */
  async note(text: string): Promise<void> {
    if (this.input.flag('quiet')) return
    this.progress.clear()
    await write(this.io.stderr, `${text}\n`)
  }

  get isInteractive(): boolean {
    return this.io.stdin.isTTY === true && this.io.stderr.isTTY === true
  }

  /** Asks before something is destroyed. @throws CliError if the answer is no, or nobody can answer and there is no `--yes`. */
  async confirm(question: string): Promise<void> {
    if (this.input.flag('yes')) return
    if (!this.isInteractive) {
      throw new CliError(
        `${question} Nothing was changed: this needs confirmation, and there is no terminal`,
        { hints: ['To confirm in advance, add --yes'] },
      )
    }
    const { confirm } = await import('@inquirer/prompts')
    const isMeant = await this.ask((prompting) =>
      confirm({ message: visible(question), default: false }, prompting),
    )
    if (!isMeant) throw new CliError('nothing was changed', { exitCode: EXIT.failed })
  }

  async askSecret(question: string): Promise<string> {
    const { password } = await import('@inquirer/prompts')
    return this.ask((prompting) => password({ message: visible(question), mask: '*' }, prompting))
  }

  private async ask<T>(prompt: (prompting: Prompting) => Promise<T>): Promise<T> {
    const { stdin, stderr, signal } = this.io
    // At Ctrl-D the prompt closes, and its answer would never arrive.
    const left = new AbortController()
    const onKey = (_text: unknown, key?: { readonly ctrl?: boolean; readonly name?: string }) => {
      if (key?.ctrl === true && key.name === 'd') left.abort()
    }
    stdin.on('keypress', onKey)
    try {
      // Prompts go to standard error, because the output may go to a file.
      return await prompt({ input: stdin, output: stderr, signal: AbortSignal.any([signal, left.signal]) })
    } catch (error) {
      const isLeft = error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name)
      if (isLeft) throw new CliError('interrupted', { exitCode: EXIT.interrupted })
      throw error
    } finally {
      stdin.off('keypress', onKey)
    }
  }
}

type Prompting = Parameters<typeof import('@inquirer/prompts').confirm>[1]
