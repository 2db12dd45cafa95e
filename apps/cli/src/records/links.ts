/** Links and identities: read from options, and shown in tables. */
import type { NodeIdentity, ServiceIdentity } from '@latchkey/sdk'
import { CliError } from '../frame/cli-error.ts'
import type { Input } from '../frame/input.ts'
import type { Column } from '../output/table.ts'
import { isId } from './find.ts'

export interface Link {
  readonly ID?: string | undefined
  readonly Name?: string | undefined
}
interface Linked {
  readonly Policies?: readonly Link[] | undefined
  readonly Roles?: readonly Link[] | undefined
  readonly ServiceIdentities?: readonly ServiceIdentity[] | undefined
  readonly NodeIdentities?: readonly NodeIdentity[] | undefined
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

export const linkFields: readonly Exclude<Column<Linked>, string>[] = [
  ['Policies', ({ Policies }) => linkNames(Policies)],
  ['Roles', ({ Roles }) => linkNames(Roles)],
  ['Services', ({ ServiceIdentities = [] }) => ServiceIdentities.map(serviceText).join(', ')],
  ['Nodes', ({ NodeIdentities = [] }) => NodeIdentities.map(nodeText).join(', ')],
]

function linkTo(reference: string): Link {
  return isId(reference) ? { ID: reference } : { Name: reference }
}

/** The links after `--policy` (replaces all), `--add-policy` and `--remove-policy`; `undefined` without any. */
export function changedLinks(
  before: readonly Link[] | undefined,
  option: string,
  input: Input,
): readonly Link[] | undefined {
  const name = `${option.charAt(0).toUpperCase()}${option.slice(1)}`
  const all = input.texts(option)?.map(linkTo)
  const added = input.texts(`add${name}`) ?? []
  const removed = input.texts(`remove${name}`) ?? []
  const links = [...(all ?? before ?? [])]
  for (const reference of removed) {
    const place = links.findIndex((link) => isCalled(link, reference))
    if (place === -1) throw new CliError(`--remove-${option} ${reference}: there is no such link`)
    links.splice(place, 1)
  }
  if (before === undefined && all === undefined && added.length === 0) return undefined
  return [
    ...links,
    ...added.filter((reference) => !links.some((link) => isCalled(link, reference))).map(linkTo),
  ]
}

function isCalled({ ID, Name }: Link, reference: string): boolean {
  const wanted = reference.toLowerCase()
  return ID?.toLowerCase() === wanted || Name?.toLowerCase() === wanted
}

/** `web` or `web:dc1,dc2`. */
export function serviceIdentities(texts: readonly string[] | undefined) {
  return texts?.map((text) => {
    const [ServiceName = '', datacenters] = text.split(':')
    return { ServiceName, ...(datacenters ? { Datacenters: datacenters.split(',') } : {}) }
  })
}

/** `node-1:dc1`. */
export function nodeIdentities(texts: readonly string[] | undefined) {
  return texts?.map((text) => {
    const [NodeName = '', Datacenter = ''] = text.split(':')
    if (Datacenter === '')
      throw new CliError(`--node ${text}: name the datacenter too, such as --node ${text}:dc1`)
    return { NodeName, Datacenter }
  })
}
