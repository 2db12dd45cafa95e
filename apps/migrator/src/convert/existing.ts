/** The policies and roles that a service has already: names to avoid, and those that an earlier conversion made. */
import { policyHash } from '@latchkey/acl'

const DESCRIPTION = 'Converted from legacy rules, id '

/** Contains the id, so that the list of a service shows which rules it has already. */
export function descriptionOf(id: string): string {
  return `${DESCRIPTION}${id}`
}

export class Existing {
  readonly names = new Set<string>()
  /** Names of policies of an earlier conversion that have other rules now. */
  readonly edited: string[] = []
  private readonly byId = new Map<string, { readonly name: string; readonly hash: unknown }>()

  /** @param record of the list of policies or roles. @returns false if it is neither. */
  add(record: object): boolean {
    const { Name, Description, Hash } = record as Readonly<Record<string, unknown>>
    if (typeof Name !== 'string' || typeof Description !== 'string' || typeof Hash !== 'string') return false
    this.names.add(Name.toLowerCase())
    if (Description.startsWith(DESCRIPTION))
      this.byId.set(Description.slice(DESCRIPTION.length), { name: Name, hash: Hash })
    return true
  }

  /** The name of the policy or role that has this id already. @param rules of a policy, to see whether it has them still. */
  nameOf(id: string, rules?: string): string | undefined {
    const found = this.byId.get(id)
    if (found === undefined || rules === undefined) return found?.name
    const { name, hash } = found
    const fields = { Name: name, Description: descriptionOf(id), Rules: rules, Datacenters: undefined }
    if (hash === policyHash(fields)) return name
    this.edited.push(name)
    return undefined
  }
}
