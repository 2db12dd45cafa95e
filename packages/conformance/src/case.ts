/** A case: one guarantee of the spec, checked from outside. */
import { isBefore, parseServiceVersion } from '@latchkey/contract'
import type { Context } from './context.ts'
import { PLAIN_TRAITS, type Target, type Traits } from './target.ts'

/** What a case requires. By default: a version with all token fields, ACLs on, default deny, any datacenter. */
export interface Needs extends Partial<Omit<Traits, 'version'>> {
  /** First version with the checked feature. Default: 1.8.1, which has all fields of a token. */
  readonly from?: string
  /** First version without the feature. */
  readonly before?: string
  /** `true`: time is frozen and can be moved. */
  readonly clock?: true
  /** `true`: login credentials are verified. */
  readonly signatures?: true
  /** `true`: the target trusts an OpenID provider through which people can log in. */
  readonly provider?: true
  /** `true`: takes more than a minute of real time. */
  readonly patience?: true
}

export interface Case {
  /** Area and guarantee, such as `update/secret-filled-in`. Never changes. */
  readonly id: string
  /** Rows of `SECTIONS` that it covers, such as `4.5.3`. */
  readonly sections: readonly string[]
  /** Condition, outcome and rule; a refusal begins with its HTTP status and code. */
  readonly title: string
  readonly needs?: Needs
  /** Leaves behind only records that the context removes, and does not depend on other cases. */
  readonly run: (ctx: Context) => Promise<void>
}

/** A case from its id, its sections and its title, and what it needs, if that is more than the default. */
export function test(
  head: `${string} [${string}] ${string}`,
  run: Case['run'],
): Case & { needing(needs: Needs): Case } {
  const [, id = '', rows = '', title = ''] = /^(\S+) \[(.+?)\] (.+)$/.exec(head) ?? []
  const one = { id, sections: rows.split(', '), title, run }
  return { ...one, needing: (needs) => ({ ...one, needs }) }
}

/** First version with every field of a token. Spec 9.1. */
const ALL_FIELDS_SINCE = '1.8.1'

/** Why a case cannot run on a target; `undefined` if it can. */
export function whySkipped(needs: Needs = {}, target: Target): string | undefined {
  const { traits } = target
  const version = parseServiceVersion(traits.version)
  const from = needs.from ?? (needs.before === undefined ? ALL_FIELDS_SINCE : undefined)
  if (from !== undefined && isBefore(version, parseServiceVersion(from)))
    return `needs version ${from} or later`
  if (needs.before !== undefined && !isBefore(version, parseServiceVersion(needs.before))) {
    return `needs a version before ${needs.before}`
  }
  for (const trait of ['mode', 'acl', 'defaultPolicy', 'bootstrap'] as const) {
    const wanted = needs[trait] ?? PLAIN_TRAITS[trait]
    if (traits[trait] !== wanted) return `needs ${trait} ${wanted}`
  }
  if (needs.datacenter !== undefined && traits.datacenter !== needs.datacenter) {
    return `needs a ${needs.datacenter} datacenter`
  }
  if (needs.edition !== undefined && traits.edition !== needs.edition) return `needs edition ${needs.edition}`
  if (needs.clock && !target.clock) return 'needs a clock that can be moved'
  if (needs.signatures && target.decodesOnly) return 'needs credentials that are verified'
  if (needs.provider && !target.provider) return 'needs an OpenID provider'
  if (needs.patience && !target.isPatient) return 'takes more than a minute: --slow'
  return !needs.clock && target.clock ? 'needs a clock that runs' : undefined
}
