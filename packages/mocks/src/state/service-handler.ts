/** The only MSW handler of a mock service, for every request below the base URL, with any method. */
import { HttpHandler } from 'msw'

const ANY_METHOD = /^/

export class ServiceHandler extends HttpHandler {
  constructor(isOurs: (url: string) => boolean, answer: (request: Request) => Promise<Response>) {
    super(
      ANY_METHOD,
      ({ request }) => isOurs(request.url),
      ({ request }) => answer(request),
    )
  }

  /** Disabled: MSW would print whole requests to the browser console, and their headers contain secrets. */
  override async log(): Promise<void> {}
}
