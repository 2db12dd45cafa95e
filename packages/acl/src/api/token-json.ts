/**
 * Tokens as JSON text, made once per stored record. A record is a value, so its text holds until the record is another
 * one or the names of its links changed; what the caller may see is part of the key (design 3).
 */
import type { Directory } from '../store/directory.ts'
import type { TokenRecord } from '../store/records.ts'
import { type ShowContext, showToken, showTokenListEntry } from '../token/show-token.ts'

interface Texts {
  readonly directoryVersion: number
  real?: string
  redacted?: string
}

export class TokenTexts {
  private readonly showNamespace: boolean
  private readonly texts = new WeakMap<TokenRecord, Texts>()

  constructor(edition: 'standard' | 'extended') {
    this.showNamespace = edition === 'extended'
  }

  /** A token as read. Spec 4.3. */
  token(token: TokenRecord, directory: Directory, showSecret: boolean): string {
    const known = this.known(token, directory)
    const view = showSecret ? 'real' : 'redacted'
    const text = known?.[view] ?? this.make(token, { directory, showSecret })
    if (known) known[view] = text
    else this.texts.set(token, { directoryVersion: directory.version, [view]: text })
    return text
  }

  /**
   * Tokens as they stand in a list, without the brackets; `''` for none. Spec 4.8. It is not kept: the list is, and the
   * texts of a long one would take several times its room. Made in one go, at two thirds of what each alone would take.
   */
  listEntries(tokens: readonly TokenRecord[], directory: Directory, showSecret: boolean): string {
    const context = { directory, showSecret, showNamespace: this.showNamespace }
    return JSON.stringify(tokens.map((token) => showTokenListEntry(token, context))).slice(1, -1)
  }

  private known(token: TokenRecord, directory: Directory): Texts | undefined {
    const known = this.texts.get(token)
    return known?.directoryVersion === directory.version ? known : undefined
  }

  private make(token: TokenRecord, context: Omit<ShowContext, 'showNamespace'>): string {
    return JSON.stringify(showToken(token, { ...context, showNamespace: this.showNamespace }))
  }
}
