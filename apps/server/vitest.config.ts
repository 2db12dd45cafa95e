import { globSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const UNITS = ['src/*.test.ts', 'src/!(database|storage)/**/*.test.ts']
/** These work on a database, and many start servers. */
const PROCESSES = ['src/{database,storage}/**/*.test.ts', 'test/**/*.test.ts']
/**
 * The files of a project share no state, so they share one module graph. Except: a library that loads under fake timers keeps
 * them, and the meter counts what a new process executes.
 */
const ALONE = globSync([...UNITS, ...PROCESSES], { cwd: import.meta.dirname }).filter((file) =>
  /useFakeTimers|WorkMeter/.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
)
/** The files of a project that are not {@link ALONE}. They leave no spy behind. */
const TOGETHER = {
  isolate: false,
  restoreMocks: true,
  exclude: [...configDefaults.exclude, ...ALONE],
}

/** The tests that take longest, 20 s and more where all cores are busy: the longest first. */
const LONGEST = `
  postgres-store watches upgrade-guide secondary-datacenter legacy-upgrade embedded-server cache-equality secret-timing
  coherence rolling-restart tokens-of-the-primary distinct-keys link-faults restart-faults pipelining proofs-runner
  anonymous-queries clock-skew embedded-postgres replication linearizability seeded-bugs soak durability faults store-model
  hostile-bodies legacy-import shutdown failover intentions-upgrade operations version-downgrade version-connections
  long-headers paused-process express-bytes http-server docs-router
`
  .trim()
  .split(/\s+/)

/**
 * Lets the longest begin first, so that none is left alone at the end, each beside files that mostly wait: the cores stay
 * busy. A worker keeps its module graph from one file to the next of the same project, so the projects follow each other.
 */
class Alternating extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const all = await super.sort(files)
    const of = (name: string) => all.filter(({ project }) => project.name === name)
    const place = ({ moduleId }: TestSpecification) => LONGEST.indexOf(basename(moduleId, '.test.ts'))
    const split = (name: string) => ({
      long: of(name)
        .filter((file) => place(file) >= 0)
        .sort((a, b) => place(a) - place(b)),
      others: of(name).filter((file) => place(file) < 0),
    })
    const { long, others } = split('processes')
    const alternating = others.flatMap((file, i) => [...long.slice(i, i + 1), file])
    const inOrder = ['alone', 'units'].flatMap((name) => Object.values(split(name)).flat())
    return [...alternating, ...long.slice(others.length), ...inOrder]
  }
}

/** Tests here start databases and processes, on machines that are busy with others. */
const PATIENT = {
  testTimeout: 300_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 90_000 } },
  // Most of them wait for processes most of the time: five keep two cores busy.
  maxWorkers: 5,
  // Servers that a test starts find the code that others have compiled.
  env: { NODE_COMPILE_CACHE: join(tmpdir(), 'latchkey-compiled') },
}

export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    sequence: { sequencer: Alternating },
    maxWorkers: PATIENT.maxWorkers,
    projects: [
      { test: { ...PATIENT, ...TOGETHER, name: 'processes', include: PROCESSES } },
      { test: { ...PATIENT, name: 'alone', include: ALONE } },
      { test: { ...PATIENT, ...TOGETHER, name: 'units', include: UNITS } },
    ],
  },
})
