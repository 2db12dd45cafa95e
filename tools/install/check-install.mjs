/**
 * Ends a script whose dependencies are missing: pnpm goes on after the install that precedes a script has failed. It runs
 * on any Node, before anything is installed.
 */
import { existsSync } from 'node:fs'

const NODE_MAJOR_MIN = 24

// pnpm writes this file when an install is complete.
const isInstalled = existsSync(new URL('../../node_modules/.modules.yaml', import.meta.url))
const [major] = process.versions.node.split('.')

if (!isInstalled) {
  fail('The dependencies could not be installed; the reason is above. Try again with: npx -y pnpm@12 install')
} else if (Number(major) < NODE_MAJOR_MIN) {
  fail(
    `This needs Node ${NODE_MAJOR_MIN}, and your Node is ${process.versions.node}. The workspace brings its own, whose install ` +
      'script has not run. Run it with: npx -y pnpm@12 rebuild node',
  )
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
