/**
 * Reads settings from the environment, in Node only. Loads Node's modules at run time, because a `node:` import would
 * break browser bundlers.
 */

/** The part of Node's `process` that this file uses. */
interface NodeProcess {
  readonly env: Readonly<Record<string, string | undefined>>
  getBuiltinModule(id: 'node:fs'): { readFileSync(path: string, encoding: 'utf8'): string }
}

/** Settings from the environment; unset or empty ones are `undefined`. */
interface Environment {
  readonly address: string | undefined
  readonly token: string | undefined
  /** Reads the token from LATCHKEY_TOKEN_FILE, which may be replaced during the life of the client. */
  readonly readTokenFile: (() => string) | undefined
}

const NOTHING: Environment = { address: undefined, token: undefined, readTokenFile: undefined }

/** Reads LATCHKEY_ADDR, LATCHKEY_TOKEN and LATCHKEY_TOKEN_FILE. In a browser, all are `undefined`. */
export function readEnvironment(): Environment {
  const node = nodeProcess()
  if (!node) return NOTHING
  try {
    return readFrom(node)
  } catch {
    // Deno denies access to the environment without permission.
    return NOTHING
  }
}

function readFrom(node: NodeProcess): Environment {
  const { env } = node
  const tokenFile = env.LATCHKEY_TOKEN_FILE || undefined
  return {
    address: env.LATCHKEY_ADDR || undefined,
    token: env.LATCHKEY_TOKEN || undefined,
    readTokenFile: tokenFile === undefined ? undefined : tokenFileReader(node, tokenFile),
  }
}

/** Returns the last token while the file is empty or absent, as it may be during a replacement. */
function tokenFileReader(node: NodeProcess, path: string): () => string {
  let last = ''
  return () => {
    try {
      // Editors and `echo` end files with a newline, which is not part of the token.
      last = node.getBuiltinModule('node:fs').readFileSync(path, 'utf8').trim() || last
    } catch (error) {
      if (last === '') throw error
    }
    return last
  }
}

/** Returns Node's `process`; `undefined` in other runtimes, and in a browser or a test with a DOM. */
function nodeProcess(): NodeProcess | undefined {
  if ('document' in globalThis) return undefined
  const candidate: unknown = Reflect.get(globalThis, 'process')
  return isNodeProcess(candidate) ? candidate : undefined
}

function isNodeProcess(value: unknown): value is NodeProcess {
  return (
    typeof value === 'object' &&
    value !== null &&
    'env' in value &&
    'getBuiltinModule' in value &&
    typeof value.getBuiltinModule === 'function'
  )
}
