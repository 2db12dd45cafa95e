/** Compares docs/reliability.md with the tests and proofs that it names. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../scripts/proofs/proof-command.ts'
import { ROOT } from '../scripts/proofs/root.ts'
import { idsInTitles } from '../scripts/proofs/titles.ts'

/** The number of guarantees of each kind, counted from 01. */
const KINDS = {
  ...{
    DUR: 12,
    COH: 11,
    EXP: 5,
    MIG: 4,
    AUTHZ: 2,
    DIF: 4,
    SEC: 4,
    LEAK: 2,
    TIM: 2,
    AUD: 1,
    CFG: 1,
    SSRF: 1,
    RACE: 1,
    REP: 29,
  },
  ...{ LOAD: 3, MEM: 2, DOS: 8, FUZ: 6, INJ: 5, API: 3, SDK: 1, INV: 2, UPG: 1, SUP: 1 },
}
const IDS = Object.entries(KINDS).flatMap(([kind, count]) =>
  Array.from({ length: count }, (_, i) => `${kind}-${String(i + 1).padStart(2, '0')}`),
)

interface Row {
  readonly id: string
  readonly holds: string
  readonly files: readonly string[]
  readonly proofs: readonly string[]
  readonly missing: string
}

const ROWS: readonly Row[] = readFileSync(join(ROOT, 'docs/reliability.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| [A-Z]+-\d\d \|/.test(line))
  .map((line) => {
    const [, id = '', , holds = '', where = '', , , missing = ''] = line.split('|').map((cell) => cell.trim())
    const named = [...where.matchAll(/(proof )?`([^`]+)`/g)]
    const proofs = named.flatMap(([, isProof, name = '']) => (isProof ? [name] : []))
    const files = named.flatMap(([, isProof, file = '']) => (isProof ? [] : [file]))
    return { id, holds, files, proofs, missing }
  })

const TITLES = idsInTitles(ROOT)
const LONG_RUNS = COMMANDS.filter(({ name }) => !name.startsWith('tests-'))

test('every guarantee has one row', () => {
  expect(ROWS.map(({ id }) => id).sort()).toEqual(IDS.toSorted())
})

test('every guarantee that a title names has a row', () => {
  const named = new Set([...TITLES.values()].flatMap((ids) => [...ids]))
  expect([...named].filter((id) => !IDS.includes(id))).toEqual([])
})

test('every proof is named by the rows of its guarantees', () => {
  const unnamed = LONG_RUNS.flatMap(({ name, ids }) =>
    ids
      .filter((id) => !ROWS.some((row) => row.id === id && row.proofs.includes(name)))
      .map((id) => [name, id]),
  )
  expect(unnamed).toEqual([])
})

describe.each(ROWS)('$id', ({ id, holds, files, proofs, missing }) => {
  test('each file that its row names has a title that names it', () => {
    const named = [...TITLES].filter(([, ids]) => ids.has(id)).map(([path]) => `/${path}`)
    expect(files.filter((file) => !named.some((path) => path.endsWith(`/${file}`)))).toEqual([])
  })

  test('each proof that its row names proves it', () => {
    const standing = LONG_RUNS.filter(({ ids }) => ids.includes(id)).map(({ name }) => name)
    expect(proofs.filter((name) => !standing.includes(name))).toEqual([])
  })

  test('it has a test or proof, or its row says why not', () => {
    expect(['yes', 'partly', 'no']).toContain(holds)
    expect(files.length + proofs.length > 0).toBe(holds !== 'no')
    if (holds !== 'yes') expect(missing).not.toBe('–')
  })
})
