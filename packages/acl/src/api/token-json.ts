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
    const texts = this.textsOf(token, directory)
    const view = showSecret ? 'real' : 'redacted'
    const known = texts[view]
    if (known) return known
    const fresh = this.make(token, { directory, showSecret })
    texts[view] = fresh
    return fresh
  }

  /** A token in a list. Spec 4.8. Only legacy tokens look different there, and they are not kept. */
  listEntry(token: TokenRecord, directory: Directory, showSecret: boolean): string {
    if (token.Rules === '') return this.token(token, directory, showSecret)
    const entry = showTokenListEntry(token, { directory, showSecret, showNamespace: this.showNamespace })
    return JSON.stringify(entry)
  }

  private textsOf(token: TokenRecord, directory: Directory): Texts {
    const known = this.texts.get(token)
    if (known && known.directoryVersion === directory.version) return known
    const fresh: Texts = { directoryVersion: directory.version }
    this.texts.set(token, fresh)
    return fresh
  }

  private make(token: TokenRecord, context: Omit<ShowContext, 'showNamespace'>): string {
    return JSON.stringify(showToken(token, { ...context, showNamespace: this.showNamespace }))
  }
}
