/** The tokens for the rows, created on demand. */
import { createPolicy, createToken, inParallel } from './client.ts'
import type { Measured } from './processes.ts'

/** The anonymous token and the management token. */
const BUILTIN_TOKENS = 2

export class Tokens {
  private readonly server: Measured
  /** Accessors of all that were created here. Others are not touched: the management token is needed. */
  private readonly made: string[] = []
  private policy: string | undefined

  constructor(server: Measured) {
    this.server = server
  }

  /** Creates tokens until the list shows this many. */
  async have(count: number): Promise<void> {
    this.policy ??= await createPolicy(this.server, 'common', 'key_prefix "common/" { policy = "read" }')
    const Policies = [{ ID: this.policy }]
    const start = this.made.length
    const created = await inParallel(Math.max(0, count - BUILTIN_TOKENS - start), 64, (i) => {
      const Description = `token ${start + i} of the benchmark`
      return createToken(this.server, { Description, Policies })
    })
    this.made.push(...created.map(({ AccessorID }) => AccessorID))
  }

  /** Accessors of this many tokens. */
  async accessors(count: number): Promise<readonly string[]> {
    await this.have(count + BUILTIN_TOKENS)
    return this.made.slice(0, count)
  }
}
