/** Backup and restore of the whole store. */
import type { Core } from '../core.ts'
import { Unavailable } from '../errors.ts'
import { Snapshots as RegularSnapshots } from '../generated/snapshots.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions } from '../options.ts'
import { safeCause } from '../request/secrets.ts'
import { send } from '../request/send.ts'

export class Snapshots<M extends Mode> extends RegularSnapshots<M> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    super(core)
    this.#core = core
  }

  /**
   * Reads an archive of the whole store at one commit index into memory. {@link Snapshots.stream} does not buffer it.
   *
   * Endpoint `snapshots.read` (GET /v1/snapshot). Right: operator:read. Spec 9.4. Errors: Invalid
   * (endpoint_not_built), PermissionDenied (caller_unknown, privilege_missing).
   */
  async read(options: CallOptions = {}): Promise<Result<M, Uint8Array>> {
    const answer = send<'snapshots.read', Uint8Array>(this.#core.settings, {
      endpoint: 'snapshots.read',
      form: 'bytes',
      options,
    })
    return this.#core.shape(await answer)
  }

  /**
   * Streams such an archive. The timeouts apply until the first byte, the signal until the last. If the stream breaks
   * off, the iteration throws Unavailable, and the bytes received so far are useless.
   *
   * Endpoint `snapshots.read` (GET /v1/snapshot). Right: operator:read. Spec 9.4. Errors: Invalid
   * (endpoint_not_built), PermissionDenied (caller_unknown, privilege_missing).
   *
   * @example
   * await pipeline(await client.snapshots.stream(), createWriteStream('latchkey.archive'))
   */
  async stream(options: CallOptions = {}): Promise<Result<M, AsyncIterable<Uint8Array>>> {
    const answer = await send<'snapshots.read', ReadableStream<Uint8Array>>(this.#core.settings, {
      endpoint: 'snapshots.read',
      form: 'stream',
      options,
    })
    return this.#core.shape({ ...answer, value: piecesOf(answer.value, options.signal) })
  }
}

async function* piecesOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { value, done } = await reader.read().catch((error: unknown) => {
        signal?.throwIfAborted()
        const message = 'snapshots.read: the archive broke off'
        throw new Unavailable({
          message,
          endpoint: 'snapshots.read',
          status: 200,
          cause: safeCause(error, []),
        })
      })
      if (done) return
      yield value
    }
  } finally {
    // After the last piece this has no effect.
    await reader.cancel().catch(() => {})
  }
}
