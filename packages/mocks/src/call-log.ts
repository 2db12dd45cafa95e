/** The calls to a mock service and their results, without secrets: no query, body or headers. */
import type { EndpointName } from '@latchkey/contract'

export interface MockCall {
  /** Such as `tokens.create`; `undefined` if no endpoint has this path and method. */
  readonly endpoint: EndpointName | undefined
  readonly method: string
  /** The path template; `undefined` if no version of the service has the path. */
  readonly path: string | undefined
  /** 0 if the client got no answer. */
  readonly status: number
  /** Accessor of the caller's token; `undefined` if the caller is unknown or presented no token. */
  readonly accessorId: string | undefined
}

export class CallLog {
  private calls: MockCall[] = []

  add(call: MockCall): void {
    this.calls.push(call)
  }

  /** A copy, in the order of the replies. */
  list(): readonly MockCall[] {
    return [...this.calls]
  }

  clear(): void {
    this.calls = []
  }
}
