import type { ClientRequest, IncomingMessage } from 'node:http'

/** Maximum informational answers (1xx) before the answer. */
const INFORMATIONAL_MAX = 8

/**
 * The answer of a request once its head has arrived. Rejects if the request ends in any other way: with an error, a
 * closed connection, another protocol, or informational answers without an end.
 */
export function headOf(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((done, failed) => {
    let informational = 0
    outgoing.once('response', done)
    // More than one error may follow, and one without a listener would end the process.
    outgoing.on('error', failed)
    outgoing.on('information', () => {
      informational += 1
      if (informational > INFORMATIONAL_MAX) outgoing.destroy(new Error('too many informational answers'))
    })
    // Without a listener, Node destroys a request whose connection changes its protocol, and reports no error.
    outgoing.once('close', () => failed(new Error('the connection was closed without an answer')))
  })
}
