/** Whether a token of the token API has links or identities. */
import { hasLinks } from '@latchkey/acl'

/** @param record from the token API or a dump. The legacy rules of a token with links are ignored. */
export function isLinked(record: object): boolean {
  const fields = record as Readonly<Record<string, unknown>>
  const list = (name: string) => (Array.isArray(fields[name]) ? fields[name] : [])
  return hasLinks({
    Policies: list('Policies'),
    Roles: list('Roles'),
    ServiceIdentities: list('ServiceIdentities'),
    NodeIdentities: list('NodeIdentities'),
  })
}
