/** The only MSW handler of a mock service, for every request below the base URL, with any method. */
import { HttpHandler } from 'msw'

const ANY_METHOD = /^/

export class ServiceHandler extends HttpHandler {
  constructor(isOurs: (url: string) => boolean, answer: (request: Request) => Promise<Response>) {
    super(
      ANY_METHOD,
      ({ request }) => isOurs(request.url),
      async ({ request }) => preflightOf(request) ?? readable(await answer(request)),
    )
  }

  /** Disabled: MSW would print whole requests to the browser console, and their headers contain secrets. */
  override async log(): Promise<void> {}
}

/**
 * The answer to a preflight. Test environments such as happy-dom play a page of another origin, and send one before each
 * request, although the service itself answers no other origins.
 *
 * @returns `undefined` if the request is no preflight. Those of happy-dom are not: its headers lose what marks them.
 */
function preflightOf({ method, headers }: Request): Response | undefined {
  const wanted = headers.get('Access-Control-Request-Method')
  if (method !== 'OPTIONS' || wanted === null) return undefined
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': wanted,
      'Access-Control-Allow-Headers': headers.get('Access-Control-Request-Headers') ?? '*',
    },
  })
}

/** Lets a page of another origin read an answer and its headers. */
function readable(response: Response): Response {
  // The network failure of a planned fault has headers that cannot change.
  if (response.type === 'error') return response
  const names = [...response.headers.keys()].join(', ')
  response.headers.set('Access-Control-Allow-Origin', '*')
  response.headers.set('Access-Control-Expose-Headers', names)
  return response
}
