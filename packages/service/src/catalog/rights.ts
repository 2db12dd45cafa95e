/** Which nodes, services and checks a caller may see; answers are filtered row by row. Spec 5.4, 7; decisions: agent. */
import { DEFAULT_NAMESPACE } from '@latchkey/acl'
import type { CheckRecord, ServiceRecord } from '@latchkey/catalog'
import { mayIn, requireRight } from '../caller/caller.ts'
import { type Context, type JsonAnswer, tellLack } from '../handler.ts'

/** The rights of one caller, for one answer. Decisions about a name are cached, because instances share nodes and names. */
export class RowRights {
  hasHidden = false
  private readonly call: Context
  private readonly nodes = new Map<string, boolean>()
  private readonly services = new Map<string, boolean>()

  constructor(call: Context) {
    this.call = call
  }

  node(name: string): boolean {
    return this.ask(this.nodes, name, () => this.decide('node', name, DEFAULT_NAMESPACE))
  }

  service({ Service, Namespace }: Pick<ServiceRecord, 'Service' | 'Namespace'>): boolean {
    const key = `${Namespace}/${Service}`
    return this.ask(this.services, key, () => this.decide('service', Service, Namespace))
  }

  instance(record: ServiceRecord): boolean {
    return this.node(record.Node) && this.service(record)
  }

  /** @param service the service of the check; absent for a check of the node. */
  check(record: CheckRecord, service: ServiceRecord | undefined): boolean {
    return this.node(record.Node) && (service === undefined || this.service(service))
  }

  mark<T>(answer: JsonAnswer<T>): JsonAnswer<T> {
    return tellLack(answer, this.hasHidden)
  }

  private ask(known: Map<string, boolean>, key: string, decide: () => boolean): boolean {
    const isSeen = known.get(key) ?? decide()
    known.set(key, isSeen)
    if (!isSeen) this.hasHidden = true
    return isSeen
  }

  private decide(resource: 'node' | 'service', segment: string, namespace: string): boolean {
    return mayIn(this.call.caller, namespace, { resource, segment, access: 'read' })
  }
}

/** @param given the name in the request, if the stored one has another case. @throws AclError `privilege_missing`. */
export function requireNode(
  { caller }: Context,
  segment: string,
  access: 'read' | 'write',
  given = segment,
): void {
  requireRight(caller, DEFAULT_NAMESPACE, { resource: 'node', segment, access }, { segment: given })
}

export function requireService(
  { caller }: Context,
  { Service, Namespace }: Pick<ServiceRecord, 'Service' | 'Namespace'>,
  access: 'read' | 'write',
): void {
  requireRight(caller, Namespace, { resource: 'service', segment: Service, access })
}
