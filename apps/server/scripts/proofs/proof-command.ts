/** Every proof as a command, at two scales; `pnpm proofs` runs them one after another. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PROOFS } from '../../test/cluster/proofs.ts'
import { ROOT } from './root.ts'
import { findTest, idsInTitles, isTestFile } from './titles.ts'

export type Scale = 'small' | 'full'

export interface ProofCommand {
  readonly name: string
  /** Guarantees it proves. */
  readonly ids: readonly string[]
  /** Unit of the count. */
  readonly unit: string
  readonly counts: Readonly<Record<Scale, number>>
  /** `test` runs Vitest and is judged by its results; `proof` prints one line of JSON with a verdict. */
  readonly kind: 'test' | 'proof' | 'figures'
  run(options: RunOptions): Command
}

export interface RunOptions {
  readonly scale: Scale
  readonly seed: number
  /** The requested guarantees; absent: all. */
  readonly only?: ReadonlySet<string>
}

export interface Command {
  /** Relative to the root of the workspace. */
  readonly folder: string
  /** Arguments of Node. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const SERVER = 'apps/server'

/** The tests of every package run too, because many guarantees are tested only there. */
const PACKAGES = [
  'tools',
  ...['packages', 'apps'].flatMap((group) =>
    readdirSync(join(ROOT, group)).map((name) => `${group}/${name}`),
  ),
].filter((folder) => existsSync(join(ROOT, folder, 'vitest.config.ts')))

export const COMMANDS: readonly ProofCommand[] = [
  ...PACKAGES.map(packageTests),
  fuzz('fuzz-bodies', ['FUZ-01'], 'bodies', 'body-fuzz.test.ts', 10_000_000),
  fuzz('fuzz-api', ['FUZ-02', 'FUZ-03', 'API-02'], 'requests', 'api-fuzz.test.ts', 10_000_000),
  fuzz('fuzz-raw', ['FUZ-03'], 'exchanges on raw sockets', 'raw-fuzz.test.ts', 1_000_000),
  fuzz('fuzz-rules', ['FUZ-04'], 'texts', 'parse-fuzz.test.ts', 10_000_000),
  fuzz('fuzz-selectors', ['FUZ-06'], 'selectors', 'selector-fuzz.test.ts', 100_000),
  fuzz('decisions', ['DIF-02'], 'decisions', 'decide-differential.test.ts', 10_000_000),
  fuzz('logins', ['DIF-04'], 'pairs of claims and rules', 'login-differential.test.ts', 1_000_000),
  fuzz('batches', ['AUTHZ-02'], 'batches of each kind', 'batches.test.ts', 50_000, 500),
  fuzz('authority', ['AUTHZ-01'], 'histories of 100 calls', 'authority.test.ts', 5_000, 40),
  fuzz('replication-model', ['REP-29'], 'random histories', 'replication-model.test.ts', 10_000, 100),
  {
    name: 'upgrades',
    ids: ['MIG-01', 'MIG-02'],
    unit: 'random upgrades',
    counts: { small: 100, full: 10_000 },
    kind: 'test',
    run({ scale, seed }) {
      const LATCHKEY_SEEDS = String(this.counts[scale])
      return vitestOf('random-run.test.ts', seed, { LATCHKEY_SEEDS })
    },
  },
  {
    name: 'large-dumps',
    ids: ['FUZ-05'],
    unit: 'tokens of a dump',
    counts: { small: 100_000, full: 1_000_000 },
    kind: 'test',
    run: ({ scale, seed }) =>
      vitestOf('scale.test.ts', seed, scale === 'full' ? { LATCHKEY_SCALE: 'full' } : {}),
  },
  ...Object.entries(PROOFS).map(
    ([name, { ids, unit, count, small }]): ProofCommand => ({
      name,
      ids,
      unit,
      counts: { small, full: count },
      kind: 'proof',
      run: ({ scale, seed }) => ({
        folder: SERVER,
        args: ['scripts/prove.ts', name, String(scale === 'full' ? count : small), String(seed)],
        env: {},
      }),
    }),
  ),
  {
    name: 'bench',
    ids: ['LOAD-01', 'LOAD-02', 'MEM-01'],
    unit: 'tokens in the largest row',
    counts: { small: 1, full: 100_000 },
    kind: 'figures',
    run: ({ scale }) => ({
      folder: SERVER,
      args: [
        'bench/run.ts',
        ...(scale === 'full'
          ? ['--only', 'self,read,create,memory,first-list']
          : ['--only', 'self', '--seconds', '1', '--rounds', '1']),
      ],
      env: {},
    }),
  },
]

/** All tests of a package, or those whose titles name a requested guarantee. */
function packageTests(folder: string): ProofCommand {
  const titles = idsInTitles(join(ROOT, folder))
  return {
    name: `tests-${folder.split('/').at(-1)}`,
    ids: [...new Set([...titles.values()].flatMap((ids) => [...ids]))].sort(),
    unit: 'package',
    counts: { small: 1, full: 1 },
    kind: 'test',
    run({ scale, seed, only }) {
      const asked = only === undefined ? [] : this.ids.filter((id) => only.has(id))
      const full = scale === 'full' ? { LATCHKEY_FULL: '1' } : {}
      return vitest(folder, [...filesOf(titles, asked), ...patternOf(titles, asked)], seed, full)
    },
  }
}

type Titles = ReturnType<typeof idsInTitles>

function withAny(titles: Titles, asked: readonly string[]): readonly string[] {
  return [...titles].filter(([, ids]) => asked.some((id) => ids.has(id))).map(([file]) => file)
}

/** Empty, which means all files, if a title is in a table that several files run. */
function filesOf(titles: Titles, asked: readonly string[]): readonly string[] {
  const files = withAny(titles, asked)
  return files.every(isTestFile) ? files : []
}

/** Conformance cases are not separate tests, so the whole suite runs. */
function patternOf(titles: Titles, asked: readonly string[]): readonly string[] {
  const isOfCases = withAny(titles, asked).some((file) => file.includes('/cases/'))
  return asked.length === 0 || isOfCases ? [] : ['-t', asked.join('|')]
}

/** A test whose number of cases `LATCHKEY_FUZZ` sets. */
function fuzz(
  name: string,
  ids: readonly string[],
  unit: string,
  file: string,
  full: number,
  small = 5_000,
): ProofCommand {
  const counts = { small, full }
  return {
    name,
    ids,
    unit,
    counts,
    kind: 'test',
    run: ({ scale, seed }) => vitestOf(file, seed, { LATCHKEY_FUZZ: String(counts[scale]) }),
  }
}

function vitestOf(name: string, seed: number, env: Readonly<Record<string, string>>): Command {
  const { folder, file } = findTest(ROOT, PACKAGES, name)
  return vitest(folder, [file], seed, env)
}

function vitest(
  folder: string,
  args: readonly string[],
  seed: number,
  env: Readonly<Record<string, string>>,
): Command {
  return {
    folder,
    args: [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...args],
    env: { LATCHKEY_SEED: String(seed), ...env },
  }
}
