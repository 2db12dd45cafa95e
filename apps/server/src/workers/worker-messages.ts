/** What the main process and its workers tell each other. */

export type ToMain =
  | { readonly kind: 'listening'; readonly url: string; readonly isBootstrapped: boolean }
  /** Asks for a connection slot of a client; answered by `slot` with the same number. */
  | { readonly kind: 'take'; readonly ask: number; readonly client: string }
  | { readonly kind: 'free'; readonly client: string }

export type ToWorker =
  /** Stop; `isForGood`: without a successor. */
  | { readonly kind: 'stop'; readonly isForGood: boolean }
  | { readonly kind: 'slot'; readonly ask: number; readonly isTaken: boolean }

/** Exit code of a worker that must not be restarted: its successor would be refused, too. */
export const REFUSED_EXIT_CODE = 3
