/** The calls to a mock service and their answers, without secrets: no query, body or header. */
import type { EndpointName } from '@latchkey/contract'

export interface MockCall {
  /** Such as `tokens.create`; `undefined` if path or method match none. */
  readonly endpoint: EndpointName | undefined
  readonly method: string
  /** The path template; `undefined` if no version of the service has the path. */
  readonly path: string | undefined
  /** 0 if the client got no answer. */
  readonly status: number
  /** Of the caller's token; `undefined` if the caller is unknown or presented none. */
  readonly accessorId: string | undefined
}

export class CallLog {
  private calls: MockCall[] = []

  add(call: MockCall): void {
    this.calls.push(call)
  }

  /** In the order of the answers. A copy. */
  list(): readonly MockCall[] {
    return [...this.calls]
  }

  clear(): void {
    this.calls = []
  }
}
