/** Cells that several kinds of records share. */
import type { Column } from '../output/column.ts'

interface Link {
  readonly ID?: string | undefined
  readonly Name?: string | undefined
}
interface ServiceIdentity {
  readonly ServiceName: string
  readonly Datacenters?: readonly string[] | undefined
}
interface NodeIdentity {
  readonly NodeName: string
  readonly Datacenter: string
}
interface Linked {
  readonly Policies?: readonly Link[] | undefined
  readonly Roles?: readonly Link[] | undefined
  readonly ServiceIdentities?: readonly ServiceIdentity[] | undefined
  readonly NodeIdentities?: readonly NodeIdentity[] | undefined
}

export const namespaceField: Column<{ readonly Namespace?: string | undefined }> = {
  title: 'Namespace',
  text: ({ Namespace = '' }) => Namespace,
}

export const descriptionField: Column<{ readonly Description?: string | undefined }> = {
  title: 'Description',
  text: ({ Description = '' }) => Description,
}

export function linkNames(links: readonly Link[] = []): string {
  return links.map(({ Name, ID }) => Name || ID || '').join(', ')
}

function serviceText({ ServiceName, Datacenters = [] }: ServiceIdentity): string {
  return Datacenters.length === 0 ? ServiceName : `${ServiceName}:${Datacenters.join(',')}`
}

function nodeText({ NodeName, Datacenter }: NodeIdentity): string {
  return `${NodeName}:${Datacenter}`
}

/** All sources of rights of a token or role, for a column of a list. */
export function rightsText({ Policies, Roles, ServiceIdentities = [], NodeIdentities = [] }: Linked): string {
  return [
    ...(Policies ?? []).map(({ Name }) => Name ?? ''),
    ...(Roles ?? []).map(({ Name }) => `role ${Name}`),
    ...ServiceIdentities.map((identity) => `service ${serviceText(identity)}`),
    ...NodeIdentities.map((identity) => `node ${nodeText(identity)}`),
  ].join(', ')
}

/** The same, one per line. */
export const linkFields: readonly Column<Linked>[] = [
  { title: 'Policies', text: ({ Policies }) => linkNames(Policies) },
  { title: 'Roles', text: ({ Roles }) => linkNames(Roles) },
  { title: 'Services', text: ({ ServiceIdentities = [] }) => ServiceIdentities.map(serviceText).join(', ') },
  { title: 'Nodes', text: ({ NodeIdentities = [] }) => NodeIdentities.map(nodeText).join(', ') },
]
