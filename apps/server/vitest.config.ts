import { globSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
const TOGETHER = { isolate: false, restoreMocks: true, exclude: [...configDefaults.exclude, ...ALONE] }

/** A worker keeps its module graph from one file to the next of the same project, so the projects follow each other. */
class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const all = await super.sort(files)
    return ['processes', 'alone', 'units'].flatMap((name) =>
      all.filter(({ project }) => project.name === name),
    )
  }
}

/** Tests here start databases and processes, on machines that are busy with others. */
const PATIENT = {
  testTimeout: 300_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 90_000 } },
  // Most of them wait for processes most of the time: five keep two cores busy.
  maxWorkers: 5,
  setupFiles: ['test/setup.ts'],
  // Servers that a test starts find the code that others have compiled.
  env: { NODE_COMPILE_CACHE: join(tmpdir(), 'latchkey-compiled') },
}

export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    sequence: { sequencer: ByProject },
    maxWorkers: PATIENT.maxWorkers,
    projects: [
      { test: { ...PATIENT, ...TOGETHER, name: 'processes', include: PROCESSES } },
      { test: { ...PATIENT, name: 'alone', include: ALONE } },
      { test: { ...PATIENT, ...TOGETHER, name: 'units', include: UNITS } },
    ],
  },
})
