import type { KnownToken } from '../session/session.ts'

/** A token as pages show it: without its secret. */
export type ShownToken = KnownToken
