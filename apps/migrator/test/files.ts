/** Files that tests of the command line read. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A function that writes a file into the folder and returns its path. */
export function fileWriter(directory: string) {
  return (name: string, text: string | Uint8Array): string => {
    const path = join(directory, name)
    writeFileSync(path, text)
    return path
  }
}

/** A scenario of three servers with 300 legacy tokens. */
export const CLUSTER = 'datacenters: [{ name: dc1, servers: 3 }]\nlegacyTokens: 300\n'

/** The beginning of every secret in {@link TOKENS}. */
export const SECRET = 'canary-2e4d'

/** A dump of a client token with rules and a management token. */
export const TOKENS = JSON.stringify([
  { ID: `${SECRET}-1`, Name: 'a', Type: 'client', Rules: 'key "a/" { policy = "read" }' },
  { ID: `${SECRET}-2`, Name: 'b', Type: 'management', Rules: '' },
])
