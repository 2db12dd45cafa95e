/** The interface that a mock service offers to the mock services that follow it, besides its requests. */
import {
  type MemoryStore,
  Service,
  type ServiceOptions,
  type WireReply,
  type WireRequest,
} from '@latchkey/service'
import type { OtherDatacenter } from '../options.ts'
import type { BlockedCounter } from './blocked-counter.ts'

/** Requests of followers are not calls of the test: they are neither logged nor delayed, and never wait. */
export interface Feed {
  readonly handle: (request: WireRequest) => Promise<WireReply>
  /** Secret of a token that may follow; empty if there is none. */
  readonly secretId: string
  /** Commit index of the last change to a replicated record. */
  index(): number
  onChange(listener: () => void): void
}

/** Where a mock service has its feed. */
export const FEED = Symbol('feed')

/** `undefined` if the object is not a mock service. */
export function feedOf(
  service: (OtherDatacenter & { readonly [FEED]?: Feed }) | undefined,
): Feed | undefined {
  return service?.[FEED]
}

export function createFeed(
  service: ServiceOptions,
  { store, blocked, secretId }: { store: MemoryStore; blocked: BlockedCounter; secretId: string },
): Feed {
  const answering = new Service({ ...service, store: withoutWaits(store) })
  const listeners: (() => void)[] = []
  const watch = async () => {
    for (let seen = store.tableIndex('changes'); ; ) {
      const before = seen
      await blocked.uncounted(() => store.wait('changes', before, 0))
      seen = store.tableIndex('changes')
      for (const listener of listeners) listener()
    }
  }
  return {
    handle: (request) => answering.handle(request),
    secretId,
    index: () => store.tableIndex('changes'),
    onChange(listener) {
      listeners.push(listener)
      if (listeners.length === 1) void watch()
    },
  }
}

/** The same store, except that waiting for a change returns immediately. */
function withoutWaits(store: MemoryStore): MemoryStore {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'wait') return async () => 'timeout'
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
