/** The allowed dependencies between packages. Change them only here. */

/** Which workspace package may import which. Checked by `pnpm check:deps`. Tests may also use mocks and testkit. */
export const ALLOWED_EDGES: Readonly<Record<string, readonly string[]>> = {
  '@latchkey/contract': [],
  '@latchkey/acl': ['@latchkey/contract'],
  '@latchkey/catalog': ['@latchkey/contract', '@latchkey/acl'],
  '@latchkey/sdk': ['@latchkey/contract'],
  '@latchkey/service': ['@latchkey/contract', '@latchkey/acl', '@latchkey/catalog'],
  '@latchkey/mocks': ['@latchkey/contract', '@latchkey/acl', '@latchkey/catalog', '@latchkey/service'],
  '@latchkey/conformance': ['@latchkey/contract', '@latchkey/sdk', '@latchkey/testkit'],
  '@latchkey/server': ['@latchkey/contract', '@latchkey/acl', '@latchkey/catalog', '@latchkey/service'],
  '@latchkey/migrator': ['@latchkey/contract', '@latchkey/acl', '@latchkey/sdk'],
  '@latchkey/testkit': ['@latchkey/contract', '@latchkey/acl', '@latchkey/catalog', '@latchkey/service'],
  '@latchkey/tools': ['@latchkey/contract', '@latchkey/testkit', '@latchkey/conformance'],
  '@latchkey/cli': ['@latchkey/contract', '@latchkey/acl', '@latchkey/sdk'],
  '@latchkey/console': ['@latchkey/contract', '@latchkey/acl', '@latchkey/catalog', '@latchkey/sdk'],
}

/** Packages that all tests and scripts may use, in addition to the edges of their own package. */
export const TEST_EDGES: readonly string[] = ['@latchkey/mocks', '@latchkey/testkit', '@latchkey/tools']

/**
 * Additional packages for the tests and examples of one package. The example of the mocks is an application, so it uses
 * the SDK. So do the server's clients in the proof that a restart fails none of their calls.
 */
export const TEST_EDGES_OF: Readonly<Record<string, readonly string[]>> = {
  '@latchkey/mocks': ['@latchkey/sdk'],
  '@latchkey/server': ['@latchkey/sdk'],
}

/** Packages that must run in a browser: no Node built-in in their `src`, tests excepted. */
export const BROWSER_PACKAGES: readonly string[] = [
  ...['@latchkey/contract', '@latchkey/acl', '@latchkey/catalog', '@latchkey/service', '@latchkey/mocks'],
  ...['@latchkey/console'],
]

/** Libraries that only one file may import, by the prefix of their name. Tests may use them as our users do. */
export const ONE_FILE_LIBRARIES: Readonly<Record<string, string>> = {
  '@ts-rest/': 'packages/contract/src/route.ts',
}

/**
 * Packages whose classes keep private state in `#` members; all others use `private`. Objects of the SDK hold the
 * application's secret, and `#` keeps it out of what `console.log` and `JSON.stringify` print.
 */
export const HASH_MEMBER_PACKAGES: readonly string[] = ['@latchkey/sdk']
