/**
 * Caches tokens as JSON text, by stored record. Records are immutable, so a text is valid until the directory changes. The key
 * includes whether the caller sees the secret.
 */
import type { Directory, TokenRecord } from '@latchkey/acl'
import { type ShowContext, showToken, showTokenListEntry } from '@latchkey/acl'
import type { Token, TokenListEntry } from '@latchkey/contract'
import type { ServiceOptions } from '../options.ts'
import { type JsonElements, type JsonText, jsonElements, jsonText } from '../reply/json-text.ts'
import { laterFieldsOf, withoutLater } from '../reply/later-fields.ts'

/** Maximum characters of cached texts. */
const TEXTS_LENGTH_MAX = 16_777_216

interface Texts {
  readonly directoryVersion: number
  real?: JsonText<Token>
  redacted?: JsonText<Token>
}

export class TokenTexts {
  private readonly showNamespace: boolean
  private readonly later: ReadonlySet<string>
  /**
   * Weak, unlike a `BoundedMap`: a text must not keep a replaced record alive. There are two generations: when the young one
   * is full, it replaces the old one, which is dropped.
   */
  private young = new WeakMap<TokenRecord, Texts>()
  private old = new WeakMap<TokenRecord, Texts>()
  private youngLength = 0

  constructor({ edition, profile }: Pick<ServiceOptions, 'edition' | 'profile'>) {
    this.showNamespace = edition === 'extended'
    this.later = laterFieldsOf(profile)
  }

  /** A token as the API returns it. Spec 4.3. */
  token(token: TokenRecord, directory: Directory, showSecret: boolean): JsonText<Token> {
    const view = showSecret ? 'real' : 'redacted'
    const young = this.young.get(token)
    const known = young ?? this.old.get(token)
    const isCurrent = known?.directoryVersion === directory.version
    const text = (isCurrent ? known[view] : undefined) ?? this.make(token, { directory, showSecret })
    if (young && isCurrent && young[view] !== undefined) return text
    const kept = young && isCurrent ? young : { directoryVersion: directory.version }
    this.keep(token, Object.assign(kept, { [view]: text }), text.length)
    return text
  }

  /**
   * Tokens as elements of a list, without the brackets; `''` for none. Spec 4.8. Only the list is cached, because single texts
   * would take several times its memory. Rendering tokens together takes two thirds of the time.
   */
  listEntries(
    tokens: readonly TokenRecord[],
    directory: Directory,
    seesSecret: (token: TokenRecord) => boolean,
  ): JsonElements<TokenListEntry[]> {
    const { showNamespace, later } = this
    const entries = tokens.map((token) =>
      withoutLater(
        showTokenListEntry(token, { directory, showSecret: seesSecret(token), showNamespace }),
        later,
      ),
    )
    return jsonElements(entries)
  }

  private keep(token: TokenRecord, texts: Texts, addedLength: number): void {
    this.youngLength += addedLength
    if (this.youngLength > TEXTS_LENGTH_MAX / 2) {
      this.old = this.young
      this.young = new WeakMap()
      this.youngLength = addedLength
    }
    this.young.set(token, texts)
  }

  private make(token: TokenRecord, context: Omit<ShowContext, 'showNamespace'>): JsonText<Token> {
    const { showNamespace, later } = this
    return jsonText(withoutLater(showToken(token, { ...context, showNamespace }), later))
  }
}
