import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Lets the long proofs on several processes begin first, each beside files that mostly wait: the cores stay busy. */
class Alternating extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => /\/test\/(cluster|soak|upgrade-guide)/.test(moduleId)
    const [long, others] = [sorted.filter(isLong), sorted.filter((file) => !isLong(file))]
    return [...others.flatMap((file, i) => [...long.slice(i, i + 1), file]), ...long.slice(others.length)]
  }
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    // Most of them wait for processes most of the time: four keep two cores busy.
    maxWorkers: 4,
    sequence: { sequencer: Alternating },
    // Servers that a test starts find the code that others have compiled.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'latchkey-compiled') },
    // Tests here start databases and processes, on machines that are busy with others.
    testTimeout: 300_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 90_000 } },
  },
})
