/** Caches catalog records as JSON text. Records are immutable, so a text is valid as long as its record exists. */
import {
  type CheckRecord,
  type NodeRecord,
  type RecordView,
  recordViewOf,
  type ServiceRecord,
  showCheck,
  showNode,
  showNodeService,
} from '@latchkey/catalog'
import type { ServiceOptions } from '../options.ts'

export class RecordTexts {
  readonly view: RecordView
  private readonly nodes = new WeakMap<NodeRecord, string>()
  private readonly services = new WeakMap<ServiceRecord, string>()
  private readonly checks = new WeakMap<
    CheckRecord,
    { readonly of: ServiceRecord | undefined; readonly text: string }
  >()

  constructor(options: Pick<ServiceOptions, 'profile' | 'datacenter' | 'edition'>) {
    this.view = recordViewOf(options.profile, options)
  }

  node(record: NodeRecord): string {
    return kept(this.nodes, record, () => JSON.stringify(showNode(record, this.view)))
  }

  service(record: ServiceRecord): string {
    return kept(this.services, record, () => JSON.stringify(showNodeService(record, this.view)))
  }

  /** @param service names the check's service in the answer; absent for a check of the node. */
  check(record: CheckRecord, service: ServiceRecord | undefined): string {
    const known = this.checks.get(record)
    if (known && known.of === service) return known.text
    const text = JSON.stringify(showCheck(record, service, this.view))
    this.checks.set(record, { of: service, text })
    return text
  }
}

function kept<R extends object>(texts: WeakMap<R, string>, record: R, make: () => string): string {
  const known = texts.get(record)
  if (known !== undefined) return known
  const text = make()
  texts.set(record, text)
  return text
}
