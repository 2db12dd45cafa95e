/**
 * Builds dist, which is all that is published. Compiles the plain part of the contract into it and redirects its only
 * import, so that the package has no dependencies. Evaluates the types of bodies and answers.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile, linkDist } from '@latchkey/tools/build/compile'
import { publishedTypes } from './published-types.ts'

const PACKAGE = join(import.meta.dirname, '..')
const DIST = join(PACKAGE, 'dist')
/** The bundled parts of the contract, by their specifiers in the sources. */
const CONTRACT = { from: '@latchkey/contract/plain', to: './contract/plain.js' }

const ENTRIES = [
  'index',
  'browser-login/browser',
  'browser-login/node',
  'guard/express',
  'guard/fastify',
  'guard/hono',
].flatMap((name) => [`${name}.js`, `${name}.d.ts`])

rmSync(DIST, { recursive: true, force: true })
compile(PACKAGE, 'tsconfig.build-contract.json')
compile(PACKAGE, 'tsconfig.build.json')
compile(PACKAGE, 'tsconfig.build-node.json')
writeFileSync(join(DIST, 'types.d.ts'), publishedTypes())
linkDist(DIST, ENTRIES, (specifier) => {
  if (specifier === CONTRACT.from) return CONTRACT.to
  // Only the second configuration of the compiler knows them.
  return specifier.startsWith('node:') ? specifier : undefined
})
