/** Links as forms edit them: names, plus the records that forms do not change. */
import type { NodeIdentity, ServiceIdentity } from '@latchkey/sdk'

export interface Linked {
  readonly Policies?: readonly { readonly Name: string }[] | undefined
  readonly Roles?: readonly { readonly Name: string }[] | undefined
  readonly ServiceIdentities?: readonly ServiceIdentity[] | undefined
  readonly NodeIdentities?: readonly NodeIdentity[] | undefined
}

export interface LinkNames {
  readonly policies: readonly string[]
  readonly roles: readonly string[]
  /** `web`, or `web@dc1,dc2`. */
  readonly services: readonly string[]
  /** `node-1@dc1`. */
  readonly nodes: readonly string[]
}

export const NO_LINKS: LinkNames = { policies: [], roles: [], services: [], nodes: [] }

export const SHARED_LINK_LABELS = {
  policies: 'Policies',
  services: 'Service identities',
  nodes: 'Node identities',
}

export function linkNamesOf(record: Linked): LinkNames {
  return {
    policies: (record.Policies ?? []).map(({ Name }) => Name),
    roles: (record.Roles ?? []).map(({ Name }) => Name),
    services: (record.ServiceIdentities ?? []).map(({ ServiceName, Datacenters = [] }) =>
      Datacenters.length === 0 ? ServiceName : `${ServiceName}@${Datacenters.join(',')}`,
    ),
    nodes: (record.NodeIdentities ?? []).map(({ NodeName, Datacenter }) => `${NodeName}@${Datacenter}`),
  }
}

/** @param datacenter for node identities without one. */
export function linksOf({ policies, services, nodes }: Omit<LinkNames, 'roles'>, datacenter: string) {
  return {
    Policies: policies.map((Name) => ({ Name })),
    ServiceIdentities: services.map((service) => {
      const [ServiceName = '', datacenters] = service.split('@')
      return datacenters === undefined
        ? { ServiceName }
        : { ServiceName, Datacenters: datacenters.split(',') }
    }),
    NodeIdentities: nodes.map((node) => {
      const [NodeName = '', Datacenter = datacenter] = node.split('@')
      return { NodeName, Datacenter }
    }),
  }
}
