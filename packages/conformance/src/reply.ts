/** The answer to a request. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}
