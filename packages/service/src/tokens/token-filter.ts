/** Filters of the token list: the link filters of spec 4.8, and the extension `filter`. */
import { AclError, limits, type Query } from '@latchkey/contract'
import type { TokenFilter } from '../store/store.ts'

type ShownFilter = Pick<TokenFilter, 'policyId' | 'roleId' | 'authMethod' | 'serviceName' | 'local'>

type SetFilter = (value: string) => ShownFilter

/** IDs match case-insensitively, as in links, and are stored in lower case. */
const byPolicy: SetFilter = (id) => ({ policyId: id.toLowerCase() })
const byRole: SetFilter = (id) => ({ roleId: id.toLowerCase() })
const byAuthMethod: SetFilter = (authMethod) => ({ authMethod })
const byServiceName: SetFilter = (serviceName) => ({ serviceName })

/** The filter of each query option; at most one at a time. */
const LINK_FILTERS = {
  policy: byPolicy,
  role: byRole,
  authmethod: byAuthMethod,
  servicename: byServiceName,
} as const satisfies Record<string, SetFilter>

/** Fields of a `filter`: only those by which the store can filter without reading other tokens. */
const FIELDS = {
  'Policies.ID': byPolicy,
  'Roles.ID': byRole,
  AuthMethod: byAuthMethod,
  'ServiceIdentities.ServiceName': byServiceName,
  Local: (value) => ({ local: parseLocal(value) }),
} as const satisfies Record<string, SetFilter>

/**
 * The filter of a query; empty for all tokens. A link filter and `filter` may be combined if they compare different fields.
 * @throws AclError `filter_conflict` for two link filters.
 * @throws AclError `query_invalid` for a malformed `filter`.
 */
export function tokenFilterOf(query: Query<'tokens.list'>): ShownFilter {
  const linked = linkFilterOf(query)
  const text = query.filter
  return text === undefined ? linked : { ...linked, ...parseFilter(text, Object.keys(linked)) }
}

function linkFilterOf(query: Query<'tokens.list'>): ShownFilter {
  const given = (['policy', 'role', 'authmethod', 'servicename'] as const).flatMap((option) => {
    const value = query[option]
    return value === undefined ? [] : [{ option, value }]
  })
  const [first, second] = given
  if (second) {
    throw new AclError(
      'filter_conflict',
      'can only filter by one of policy, role, servicename, or authmethod at a time',
      { field: second.option },
    )
  }
  return first ? LINK_FILTERS[first.option](first.value) : {}
}

/** Parses `Field==value` terms joined by ` and `. @param taken names of filters that are already set. */
function parseFilter(text: string, taken: readonly string[]): ShownFilter {
  if (new TextEncoder().encode(text).length > limits.FILTER_BYTES_MAX)
    throw invalid(`must not be longer than ${limits.FILTER_BYTES_MAX} bytes`)
  const terms = text.split(' and ')
  if (terms.length > limits.FILTER_TERMS_MAX)
    throw invalid(`must not have more than ${limits.FILTER_TERMS_MAX} terms`)
  const names = new Set(taken)
  let filter: ShownFilter = {}
  for (const term of terms) {
    const { field, set } = parseTerm(term)
    const [name = ''] = Object.keys(set)
    if (names.has(name)) throw invalid(`must not compare ${field} twice, counting its query option`)
    names.add(name)
    filter = { ...filter, ...set }
  }
  return filter
}

function parseTerm(term: string): { readonly field: string; readonly set: ShownFilter } {
  const [, field, value = ''] = /^([\w.]+)==([^\s"'`]+)$/.exec(term) ?? []
  if (field === undefined)
    throw invalid('must be terms such as AuthMethod==oidc, joined by " and ", without quotes or other spaces')
  if (!isField(field)) throw invalid(`compares one of the fields ${Object.keys(FIELDS).join(', ')}`)
  return { field, set: FIELDS[field](value) }
}

function isField(name: string): name is keyof typeof FIELDS {
  return Object.hasOwn(FIELDS, name)
}

function parseLocal(value: string): boolean {
  if (value !== 'true' && value !== 'false') throw invalid('compares Local with true or false')
  return value === 'true'
}

function invalid(problem: string): AclError {
  return new AclError('query_invalid', `filter ${problem}`, { field: 'filter' })
}
