/** The bounded cache of token texts. DOS-05. */

import type { TokenRecord } from '@latchkey/acl'
import { Directory, EMPTY_CONTENT } from '@latchkey/acl'
import { parseServiceVersion, profileOf } from '@latchkey/contract'
import { aToken } from '@latchkey/testkit/records/record-builders'
import { expect, test } from 'vitest'
import { TokenTexts } from './token-json.ts'

const aDirectory = (version = 1) => new Directory(EMPTY_CONTENT, version)

/** Tokens with a long description that count how often it is read to render a text. */
function countedTokens(count: number, length: number) {
  const reads = { count: 0 }
  const tokens = Array.from({ length: count }, (_, i): TokenRecord => {
    const Description = `${i}`.padEnd(length, 'x')
    return Object.defineProperty({ ...aToken() }, 'Description', {
      enumerable: true,
      get: () => {
        reads.count += 1
        return Description
      },
    })
  })
  return { tokens, reads }
}

test('renders a text once per view and version of the directory', () => {
  const texts = new TokenTexts({ edition: 'standard', profile: profileOf(parseServiceVersion('1.11')) })
  const { tokens, reads } = countedTokens(1, 10)
  const [token] = tokens as [TokenRecord]
  const directory = aDirectory()
  const real = texts.token(token, directory, true)
  const redacted = texts.token(token, directory, false)
  expect(real).toContain(token.SecretID)
  expect(redacted).not.toContain(token.SecretID)
  const made = reads.count
  expect([texts.token(token, directory, true), texts.token(token, directory, false)]).toEqual([
    real,
    redacted,
  ])
  expect(reads.count).toBe(made)
  expect(texts.token(token, aDirectory(2), true)).toBe(real)
  expect(reads.count).toBeGreaterThan(made)
})

test('DOS-05: keeps a bounded number of texts, including the most recent ones', () => {
  const texts = new TokenTexts({ edition: 'standard', profile: profileOf(parseServiceVersion('1.11')) })
  const { tokens, reads } = countedTokens(400, 100_000)
  const directory = aDirectory()
  const ask = (asked: readonly TokenRecord[]) => {
    const before = reads.count
    for (const token of asked) texts.token(token, directory, true)
    return reads.count - before
  }
  const perText = ask(tokens.slice(0, 1))
  ask(tokens)
  // Each generation holds at most 8 Mi characters.
  expect(ask(tokens.slice(-80))).toBe(0)
  expect(ask(tokens.slice(0, 200))).toBe(200 * perText)
})
