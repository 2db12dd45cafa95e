import type { Answer } from '../handler.ts'

/** The empty answer of an endpoint that changes something. */
export type Done = Answer<'agentChecks.pass'>

export function done(): Done {
  return { body: { kind: 'text', text: '' } }
}
