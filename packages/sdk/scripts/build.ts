/**
 * Builds dist, which is all that is published. The plain part of the contract is compiled into it, and the one file
 * that reads it is pointed there, so that the package has no dependency. The types of bodies and answers are evaluated.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile, linkDist } from '@latchkey/testkit/packaging/compile'
import { publishedTypes } from './published-types.ts'

const PACKAGE = join(import.meta.dirname, '..')
const DIST = join(PACKAGE, 'dist')
/** What of the contract is packed, by its name in the sources. */
const CONTRACT = { from: '@latchkey/contract/plain', to: './contract/plain.js' }

const ENTRIES = ['index', 'express', 'fastify', 'hono'].flatMap((name) => [`${name}.js`, `${name}.d.ts`])

rmSync(DIST, { recursive: true, force: true })
compile(PACKAGE, 'tsconfig.build-contract.json')
compile(PACKAGE, 'tsconfig.build.json')
writeFileSync(join(DIST, 'types.d.ts'), publishedTypes())
linkDist(DIST, ENTRIES, (specifier) => (specifier === CONTRACT.from ? CONTRACT.to : undefined))
