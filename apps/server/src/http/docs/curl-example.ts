/** The command line for an operation's example. */
import type { Operation } from '@latchkey/contract/openapi'

/** Values for path parameters, as in the examples of the document. */
const PATH_VALUES: Readonly<Record<string, string>> = {
  AccessorID: 'd831b6e6-71d2-4b0c-52d5-7e5ed711a695',
  ID: '7da7fd0a-a264-3c55-0853-240ced6fac23',
  Name: 'orders-read',
  Key: 'orders/1',
}

/** Query parameters that an operation requires. */
const QUERIES: Readonly<Record<string, string>> = { versions: '?from=1.3.0&to=1.11' }

/**
 * A shell command. It reads the address and the secret from `LATCHKEY_ADDR` and `LATCHKEY_TOKEN`, so it contains no
 * secret.
 *
 * @param tokenHeader name of the header that carries the secret.
 */
export function curlExample(
  method: string,
  path: string,
  { operation, tokenHeader }: { readonly operation: Operation; readonly tokenHeader: string },
): string {
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => PATH_VALUES[name] ?? name)
  const [body] = Object.values(operation.requestBody?.content ?? {})
  const [example] = Object.values(body?.examples ?? {})
  const value = example && 'value' in example ? example.value : undefined
  const lines = [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "$LATCHKEY_ADDR${url}${QUERIES[operation.operationId] ?? ''}"`,
    ...(operation.security.length > 0 ? [`-H "${tokenHeader}: $LATCHKEY_TOKEN"`] : []),
    ...(value === undefined ? [] : [`--data-binary ${shellQuote(bodyText(value))}`]),
  ]
  return lines.join(' \\\n  ')
}

function bodyText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 1).replace(/\n\s*/g, ' ')
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
