/**
 * Reads settings from the environment, in Node only. Uses no `node:` import, which would break bundlers for browsers; Node
 * provides its modules at run time.
 */

/** The part of Node's `process` that is used. */
interface NodeProcess {
  readonly env: Readonly<Record<string, string | undefined>>
  getBuiltinModule(id: 'node:fs'): { readFileSync(path: string, encoding: 'utf8'): string }
}

/** Settings from the environment; unset or empty ones are `undefined`. */
interface Environment {
  readonly address: string | undefined
  readonly token: string | undefined
  /** Reads the token of LATCHKEY_TOKEN_FILE; the file may be replaced while the client lives. */
  readonly readTokenFile: (() => string) | undefined
}

const NOTHING: Environment = { address: undefined, token: undefined, readTokenFile: undefined }

/** Reads LATCHKEY_ADDR, LATCHKEY_TOKEN and LATCHKEY_TOKEN_FILE; nothing in a browser. */
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

/** While a file is replaced it may be empty or absent for a moment: the token that it held is read then. */
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

/** Node's process; `undefined` without one, and in a browser or a test with a DOM. */
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
