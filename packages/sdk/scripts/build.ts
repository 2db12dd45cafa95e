/**
 * Builds dist, which is all that is published. The plain part of the contract is compiled into it, and the one file
 * that reads it is pointed there, so that the package has no dependency.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const PACKAGE = join(import.meta.dirname, '..')
const DIST = join(PACKAGE, 'dist')
const CONTRACT = '@latchkey/contract/plain'

rmSync(DIST, { recursive: true, force: true })
compile('tsconfig.build-contract.json')
// Of the version gates only a type is used.
rmSync(join(DIST, 'contract/gates.js'))
compile('tsconfig.build.json')
for (const file of publishedSources()) rewriteImports(file)

function compile(config: string): void {
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', join(PACKAGE, config)], { stdio: 'inherit' })
}

function publishedSources(): readonly string[] {
  return readdirSync(DIST, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(js|d\.ts)$/.test(file))
    .map((file) => join(DIST, file))
}

/**
 * Points the contract to its copy, and the imports of types to what is there: the compiler rewrites `.ts` in code only.
 * Nothing that is published may import what is not.
 */
function rewriteImports(file: string): void {
  const source = readFileSync(file, 'utf8').replace(
    /(from |import\()(['"])([^'"]+)\2/g,
    (_, keyword: string, quote: string, specifier: string) => {
      const target = specifier === CONTRACT ? './contract/plain.js' : specifier.replace(/\.ts$/, '.js')
      if (!/^\.\.?\/.*\.js$/.test(target)) throw new Error(`${file} imports ${specifier}`)
      return `${keyword}${quote}${target}${quote}`
    },
  )
  writeFileSync(file, source)
}
