/** The tokens for the rows, created on demand. */
import { createPolicy, createToken, inParallel } from './client.ts'
import type { Measured } from './processes.ts'

/** The anonymous token and the management token. */
const BUILTIN_TOKENS = 2
/** More deletes per second than any machine achieves. */
export const DELETES_PER_SECOND = 30_000
/** One in this many tokens has the policy by which lists are filtered. */
const FILTERED_EACH = 10

export class Tokens {
  private readonly server: Measured
  /** Accessors of all that were created here. Others are not touched: the management token is needed. */
  private readonly made: string[] = []
  private policies: { readonly common: string; readonly filtered: string } | undefined

  constructor(server: Measured) {
    this.server = server
  }

  /** ID of the policy that every tenth token has. */
  async filteredPolicy(): Promise<string> {
    return (await this.havePolicies()).filtered
  }

  /** Creates tokens until the list shows this many. */
  async have(count: number): Promise<void> {
    const { common, filtered } = await this.havePolicies()
    const start = this.made.length
    const created = await inParallel(Math.max(0, count - BUILTIN_TOKENS - start), 64, (i) => {
      const ID = (start + i) % FILTERED_EACH === 0 ? filtered : common
      const Description = `token ${start + i} of the benchmark`
      return createToken(this.server, { Description, Policies: [{ ID }] })
    })
    this.made.push(...created.map(({ AccessorID }) => AccessorID))
  }

  /** Accessors of this many tokens. */
  async accessors(count: number): Promise<readonly string[]> {
    await this.have(count + BUILTIN_TOKENS)
    return this.made.slice(0, count)
  }

  private async havePolicies() {
    this.policies ??= {
      common: await createPolicy(this.server, 'common', 'key_prefix "common/" { policy = "read" }'),
      filtered: await createPolicy(this.server, 'filtered', 'service "filtered" { policy = "write" }'),
    }
    return this.policies
  }
}
