/** Keeps what `health/service` shows of a service: many clients ask for one service, and all who wait for it ask when it changes. */
import type { ServiceRecord } from '@latchkey/acl'
import type { ServiceHealth } from '@latchkey/contract'
import { BoundedMap } from '../bounded-map.ts'
import type { Caller } from '../caller/caller.ts'
import { ObjectNumbers } from '../object-numbers.ts'
import type { ServiceOptions } from '../options.ts'
import type { JsonText } from '../reply/json-text.ts'

/** The instances that a caller sees. */
interface HealthText {
  readonly text: JsonText<ServiceHealth[]>
  /** Whether rights left instances out. */
  readonly hasHidden: boolean
}

/** The service as it was when its answer was made. */
export interface ServiceState {
  /** Moves with the instances, their nodes, and the checks of both. */
  readonly index: number
  /** In a catalog that was replaced, an index may come back: the list is another one then. */
  readonly instances: readonly ServiceRecord[]
}

interface Asker {
  readonly service: Pick<ServiceOptions, 'aclEnabled'>
  readonly caller: Caller
}

interface Kept extends ServiceState, HealthText {}

/** Maximum characters of all texts. */
const CHARS_MAX = 16_777_216

export class KeptHealth {
  private readonly kept = new BoundedMap<string, Kept>(CHARS_MAX)
  private readonly policies = new ObjectNumbers()

  /**
   * The answer to a question about a service, made unless it is kept.
   *
   * @param question names the service and what is asked about it: with {@link ServiceState} and the rights of the caller,
   *   everything that the answer depends on.
   */
  of(asker: Asker, question: string, { index, instances }: ServiceState, make: () => HealthText): HealthText {
    const key = `${this.rightsOf(asker)} ${question}`
    const known = this.kept.get(key)
    if (known?.index === index && known.instances === instances) return known
    const fresh = { index, instances, ...make() }
    return this.kept.set(key, fresh, fresh.text.length + key.length)
  }

  /** Same text, same rights to read. */
  private rightsOf({ service, caller }: Asker): string {
    if (!service.aclEnabled) return ''
    const { authorizer, isGlobal, token } = caller
    const number = this.policies.of(authorizer.policies)
    return isGlobal ? `${number}` : `${number} ${token.Namespace}`
  }
}
