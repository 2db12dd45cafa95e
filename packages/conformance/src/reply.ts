/** What a request was answered. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}
