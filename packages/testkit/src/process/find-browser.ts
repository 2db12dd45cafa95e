/** The system's Chromium, because the tests do not download browsers. */
import { existsSync } from 'node:fs'

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/**
 * Path of the browser: LATCHKEY_BROWSER, or a usual location; `undefined` if there is none.
 *
 * @throws Error if LATCHKEY_REQUIRE_BROWSER=1 and there is none, so that CI cannot skip the tests.
 */
export function findBrowser(): string | undefined {
  const { LATCHKEY_BROWSER: chosen, LATCHKEY_REQUIRE_BROWSER: required } = process.env
  const found = (chosen === undefined ? CANDIDATES : [chosen]).find((path) => existsSync(path))
  if (found !== undefined || required !== '1') return found
  throw new Error(
    'LATCHKEY_REQUIRE_BROWSER=1, but no browser was found. Install one (apt-get install chromium), or set LATCHKEY_BROWSER to its path.',
  )
}
