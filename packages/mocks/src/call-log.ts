/** The calls to a mock service and their answers. Holds no secret: no query, no body, no header. */
import type { EndpointName } from '@latchkey/contract'

export interface MockCall {
  /** As `tokens.create`; `undefined` where path or method led to none. */
  readonly endpoint: EndpointName | undefined
  readonly method: string
  /** With the names of parameters for their values; `undefined` where no version of the service knows the path. */
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
