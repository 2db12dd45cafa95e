/** Builds dist, which is all that is published. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { compile, linkDist } from '@latchkey/tools/build/compile'

const PACKAGE = join(import.meta.dirname, '..')
const DIST = join(PACKAGE, 'dist')
/** `@ts-rest/core` and `zod`, with their subpaths. */
const PEER = /^(@ts-rest\/core|zod)(\/|$)/

rmSync(DIST, { recursive: true, force: true })
compile(PACKAGE, 'tsconfig.build.json')
const entries = ['index', 'plain', 'openapi'].flatMap((name) => [`${name}.js`, `${name}.d.ts`])
linkDist(DIST, entries, (specifier) => (PEER.test(specifier) ? specifier : undefined))
