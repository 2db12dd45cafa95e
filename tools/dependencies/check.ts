/** `pnpm check:deps`: checks the dependencies between packages. Exits with 1 on a violation. */
import { join } from 'node:path'
import { findViolations } from './rules.ts'
import { readWorkspace } from './workspace.ts'

const root = join(import.meta.dirname, '../..')
const packages = readWorkspace(root)
const violations = findViolations(packages)

for (const { where, problem, fix } of violations) console.error(`${where}\n  ${problem}\n  fix: ${fix}\n`)
const files = packages.reduce((count, pkg) => count + pkg.files.length, 0)
console.log(
  `check:deps: ${packages.length} packages, ${files} files, ` +
    (violations.length === 0 ? 'no violations' : `${violations.length} violation(s)`),
)
process.exitCode = violations.length === 0 ? 0 : 1
