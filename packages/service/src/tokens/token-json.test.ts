/** Texts of tokens, kept up to a bound. DOS-05. */

import type { TokenRecord } from '@latchkey/acl'
import { Directory } from '@latchkey/acl'
import { parseServiceVersion, profileOf } from '@latchkey/contract'
import { aToken } from '@latchkey/testkit/records/record-builders'
import { expect, test } from 'vitest'
import { TokenTexts } from './token-json.ts'

const aDirectory = (version = 1) =>
  new Directory({ policies: [], roles: [], namespaces: [], system: [] }, version)

/** Tokens with a long description, and how often it was read to make a text. */
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

test('a text is made once for each view, and again when the directory is another', () => {
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

test('DOS-05: texts of many tokens are kept up to a bound, those asked for last among them', () => {
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
  // Both generations hold 8 Mi characters at most, and the old one just did.
  expect(ask(tokens.slice(-80))).toBe(0)
  expect(ask(tokens.slice(0, 200))).toBe(200 * perText)
})
