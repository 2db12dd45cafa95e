import type { Explanation } from '@latchkey/sdk'

/** Resources that exist only once, without names. */
const UNNAMED: ReadonlySet<string> = new Set(['acl', 'keyring', 'mesh', 'operator', 'peering'])

/**
 * A rule that grants a missing right and nothing else.
 *
 * @param decided the rule that denies it.
 * @returns `undefined` for intentions, which a service rule grants besides its level, and if `decided` denies exactly this
 *   resource: deny wins, so that rule must be changed.
 */
export function allowingRule(
  { Resource, Access, Segment }: NonNullable<Explanation['Missing']>,
  decided: Explanation['Rule'],
): string | undefined {
  const isUnnamed = UNNAMED.has(Resource)
  if (Resource === 'intention' || (!isUnnamed && Segment === undefined)) return undefined
  const isBelow = Access === 'list' || Access === 'write-prefix'
  const kind = isBelow ? `${Resource}_prefix` : Resource
  if (decided?.Level === 'deny' && decided.Kind === kind && decided.Segment === (Segment ?? ''))
    return undefined
  if (isUnnamed) return `${Resource} = "${Access}"`
  const level = Access === 'write-prefix' ? 'write' : Access
  return `${kind} ${JSON.stringify(Segment)} { policy = "${level}" }`
}
