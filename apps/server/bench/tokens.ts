/** The tokens for the cases, created on demand. */
import { call, createPolicy, createToken, inParallel, listAccessors } from './client.ts'
import type { Measured } from './processes.ts'

/** The anonymous token and the management token. */
const BUILTIN_TOKENS = 2
/** More deletes per second than any machine achieves. */
export const DELETES_PER_SECOND = 30_000
/** One in this many tokens has the policy by which lists are filtered. */
const FILTERED_EACH = 10

/** Number of policies of the token with many, which cover `app0`, `service0` and so on. */
export const OWN_POLICIES = 50

export class Tokens {
  private readonly server: Measured
  private made = 0
  private secret: string | undefined
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
    const start = this.made
    const missing = Math.max(0, count - BUILTIN_TOKENS - start)
    this.made += missing
    await inParallel(missing, 64, (i) => {
      const ID = (start + i) % FILTERED_EACH === 0 ? filtered : common
      const Description = `token ${start + i} of the benchmark`
      return createToken(this.server, { Description, Policies: [{ ID }] })
    })
  }

  /**
   * Accessors of this many tokens, oldest first. Skips the built-in tokens, which are needed, and later tokens: login tokens
   * cannot be updated like others.
   */
  async accessors(count: number): Promise<readonly string[]> {
    await this.have(count + BUILTIN_TOKENS)
    return (await listAccessors(this.server)).slice(BUILTIN_TOKENS, BUILTIN_TOKENS + count)
  }

  /** The secret of a token with {@link OWN_POLICIES} policies; one of them lets it read tokens. */
  async secretWithPolicies(): Promise<string> {
    this.secret ??= await this.makeTokenWithPolicies()
    return this.secret
  }

  private async makeTokenWithPolicies(): Promise<string> {
    const ids = await inParallel(OWN_POLICIES, 8, (i) => {
      const rules = `key_prefix "app${i}/" { policy = "read" }\nservice "service${i}" { policy = "write" }`
      return createPolicy(this.server, `own-${i}`, i === 0 ? `${rules}\nacl = "read"` : rules)
    })
    const { SecretID } = await createToken(this.server, { Policies: ids.map((ID) => ({ ID })) })
    return SecretID
  }

  /** The length of an answer, in bytes. */
  async lengthOf(path: string, secret?: string): Promise<number> {
    const { text } = await call(
      this.server,
      'GET',
      path.replace(/^\/v1/, ''),
      secret === undefined ? {} : { secret },
    )
    return Buffer.byteLength(text)
  }

  private async havePolicies() {
    this.policies ??= {
      common: await createPolicy(this.server, 'common', 'key_prefix "common/" { policy = "read" }'),
      filtered: await createPolicy(this.server, 'filtered', 'service "filtered" { policy = "write" }'),
    }
    return this.policies
  }
}
