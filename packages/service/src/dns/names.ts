/** DNS as a function from question to reply. The caller is the DNS token, and names come from the catalog. Decisions: dns. */
import { DEFAULT_NAMESPACE, type Directory, SeededRandom } from '@latchkey/acl'
import type { DnsQuestion, DnsReply, DnsRights, DnsSettings } from '@latchkey/catalog'
import { answerQuestion, serverServiceOf } from '@latchkey/catalog'
import { isOutage } from '@latchkey/contract'
import { type Callers, isAtHome, type RightsHolder } from '../caller/caller.ts'
import type { ServiceOptions } from '../options.ts'
import type { Store } from '../store/store.ts'

export interface NamesOptions {
  readonly settings: DnsSettings
  /** The secret of the token that answers questions. Absent: the anonymous token. */
  readonly secretId?: string | undefined
}

export class Names {
  private readonly service: ServiceOptions
  private readonly callers: Callers
  private readonly options: NamesOptions

  constructor(service: ServiceOptions, callers: Callers, options: NamesOptions) {
    this.service = service
    this.callers = callers
    this.options = options
  }

  /**
   * Answers a question, synchronously if the rights are in memory and the state is known to be current.
   * @param recordsMax maximum number of useful records.
   * @throws AclError `caller_unknown` if the DNS token does not exist; the promise may also reject.
   */
  resolve(question: DnsQuestion, recordsMax: number): DnsReply | Promise<DnsReply> {
    const { store } = this.service
    if (!store.memory?.freshness('default')) return this.later(question, recordsMax)
    const caller = this.known(store, store.directory())
    if (caller === undefined) return this.later(question, recordsMax)
    return this.answer(question, recordsMax, { store, rights: rightsOf(caller) })
  }

  private known(store: Store, directory: Directory): RightsHolder | undefined {
    const presented = this.callers.peek(this.options.secretId, store, { directory, heldMs: 0 })
    const rights = presented && this.callers.peekRights(presented.token, directory)
    return rights && { ...presented, ...rights }
  }

  private async later(question: DnsQuestion, recordsMax: number): Promise<DnsReply> {
    const store = await this.currentStore()
    return this.answer(question, recordsMax, { store, rights: rightsOf(await this.caller(store)) })
  }

  /** Falls back to the state in memory while the database cannot be reached. */
  private async currentStore(): Promise<Store> {
    const { store } = this.service
    try {
      await store.refresh('default')
      return store
    } catch (error) {
      if (!isOutage(error)) throw error
      await store.refresh('stale')
      return store.stale ?? store
    }
  }

  private async caller(store: Store): Promise<RightsHolder> {
    for (;;) {
      const directory = store.directory()
      const { token } = await this.callers.resolve(this.options.secretId, store)
      // A token that was just loaded may be newer than the directory that its links refer to.
      if (store.directory().version !== directory.version) continue
      return { token, ...(await this.callers.rightsOf(token, directory)) }
    }
  }

  private answer(
    question: DnsQuestion,
    recordsMax: number,
    { store, rights }: { readonly store: Store; readonly rights: DnsRights },
  ): DnsReply {
    const { profile, datacenter, edition, clock, random } = this.service
    return answerQuestion(question, {
      catalog: store.catalog(),
      rights,
      settings: this.options.settings,
      profile,
      datacenter,
      hasNamespaces: edition === 'extended',
      serverService: serverServiceOf(this.service),
      recordsMax,
      now: clock.now(),
      shuffle: (list) =>
        shuffled(list, new SeededRandom(random.bytes(4).reduce((seed, byte) => seed * 256 + byte, 0))),
    })
  }
}

function rightsOf(caller: RightsHolder): DnsRights {
  const mayRead = (resource: 'node' | 'service', segment: string, namespace: string) =>
    isAtHome(caller, namespace) && caller.authorizer.decide({ resource, segment, access: 'read' })
  return {
    node: (name) => mayRead('node', name, DEFAULT_NAMESPACE),
    service: (name, namespace) => mayRead('service', name, namespace),
  }
}

/** Draws without replacement, and only as many items as the consumer takes, because lists may be long. */
function* shuffled<T>(list: readonly T[], random: SeededRandom): Generator<T, void> {
  const left = [...list]
  for (let count = left.length; count > 0; count--) {
    const at = random.below(count)
    yield left[at] as T
    left[at] = left[count - 1] as T
  }
}
