import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readWorkspace } from '../dependencies/workspace.ts'
import { findComparedSecrets } from './compared-secrets.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Allowed comparisons, by file name and text, each with the reason why its time reveals nothing. */
const ALLOWED: Readonly<Record<string, string>> = {
  'memory-conflicts.ts: holder !== record.SecretID':
    'the store of tests and mocks; the same caller writes both secrets',
  'changes-for.ts: holder.SecretID !== SecretID':
    'one is stored and the other comes from the primary, which no caller can time',
  'row-changes.ts: key === SecretID': 'compares a secret with its own lower case',
  'update-token.ts: existing.SecretID === caller.SecretID':
    'both are stored and neither was sent: checks whether a caller with acl:write deletes its own token',
  'update-token.ts: request.SecretID !== existing.SecretID':
    'runs after the check of acl:write, with which the caller may read this secret',
  'printer.ts: field === secret': 'the command line compares two fields of one answer to its user',
  'import.ts: one.SecretID !== other.SecretID':
    'the command line compares what two services show to its user',
  'import.ts: secrets.includes(name)': 'compares names of fields',
  'kinds.ts: CONFIG_SECRETS.includes(field)': 'compares names of fields',
  'kinds.ts: CONFIG_SECRETS.includes(name)': 'compares names of fields',
  'login.ts: this.#login?.token.SecretID === refused': 'a client compares two secrets of its own',
}

/** The conformance suite knows all secrets of the service under test: it created them. */
const SOURCES = readWorkspace(ROOT)
  .filter(({ name }) => name !== '@latchkey/conformance')
  .flatMap(({ files }) => files)
  .filter(({ isTest }) => !isTest)
  .map(({ path }) => path)

describe('TIM-02: no secret is compared character by character', () => {
  const found = SOURCES.flatMap((path) =>
    findComparedSecrets(path, readFileSync(join(ROOT, path), 'utf8')).map(({ line, text }) => ({
      key: `${basename(path)}: ${text}`,
      line,
    })),
  )

  test('in no source of any package, unless the time reveals nothing', () => {
    expect(SOURCES.length).toBeGreaterThan(300)
    expect(found.filter(({ key }) => ALLOWED[key] === undefined)).toEqual([])
  })

  test('every exception still exists', () => {
    const keys = new Set(found.map(({ key }) => key))
    expect(Object.keys(ALLOWED).filter((key) => !keys.has(key))).toEqual([])
  })
})

describe('TIM-02: what the scan finds', () => {
  test.each([
    ['if (token.SecretID === presented) yes()', 'token.SecretID === presented'],
    ['const same = presented !== token?.SecretID', 'presented !== token?.SecretID'],
    ["return a['SecretID'] == b", "a['SecretID'] == b"],
    ['tokens.find((t) => t.SecretID === secret)', 't.SecretID === secret'],
    ['if (secretId.toLowerCase() === other) no()', 'secretId.toLowerCase() === other'],
    [
      'if ((header as string).startsWith(bootstrapSecret)) yes()',
      '(header as string).startsWith(bootstrapSecret)',
    ],
    ['Buffer.from(secret).equals(known)', 'Buffer.from(secret).equals(known)'],
    ['Buffer.compare(given, password) === 0', 'Buffer.compare(given, password)'],
    ['knownSecrets.includes(given)', 'knownSecrets.includes(given)'],
    ['switch (credential) { case given: yes() }', 'credential'],
    ['if (secret! < given) no()', 'secret! < given'],
  ])('%s', (source, text) => {
    expect(findComparedSecrets('example.ts', source)).toEqual([{ line: 1, text }])
  })

  test.each([
    ...['if (secretId === undefined) return', "if (request.SecretID === '') return"],
    ...['if (SecretID === REDACTED_SECRET_ID) return', 'if (typeof secret === "string") return'],
    ...['if (secretHash === known) return', 'if (timingSafeEqual(secret, given)) return'],
    ...['if (secret.length > 10) return', 'const found = bySecret.get(secret)'],
    ...['if (secretKeyId === active) return'],
  ])('and what it ignores: %s', (source) => {
    expect(findComparedSecrets('example.ts', source)).toEqual([])
  })
})
