/** Random requests for tokens, policies, roles, keys and decisions, by callers with different rights. */
import { randomUUID } from 'node:crypto'
import type { Policy, Role, Token } from '@latchkey/contract'
import type { SeededRandom } from '@latchkey/testkit/random'
import type { Request } from '../harness/gateway.ts'
import { MANAGEMENT } from '../harness/server-group.ts'

interface Traffic {
  /** A read of a record that exists, existed, or never existed. */
  read(): Request
  /** A write; most of them succeed. */
  write(): Request
  /** Records the result of a write. */
  learn(request: Request, text: string): void
}

/** Maximum remembered records of each kind. */
const RECORDS_MAX = 40

const RULES = [
  'acl = "read"',
  'acl = "write"',
  'key_prefix "" { policy = "read" }',
  'key_prefix "a/" { policy = "write" } key "a/1" { policy = "deny" }',
  'service_prefix "web" { policy = "write" intentions = "read" }',
  'operator = "read" node_prefix "" { policy = "read" }',
]

export function randomTraffic(random: SeededRandom): Traffic {
  const tokens: Token[] = []
  const policies: Policy[] = []
  const roles: Role[] = []
  const unknown = randomUUID()
  let names = 0

  const secret = () =>
    random.chance(1 / 3) ? (known(tokens)?.SecretID ?? unknown) : random.chance(1 / 12) ? unknown : MANAGEMENT
  const known = <T>(list: readonly T[]): T | undefined => (list.length > 0 ? random.pick(list) : undefined)
  const accessor = () => known(tokens)?.AccessorID ?? unknown
  const key = () => `${random.pick(['a', 'b'])}/${random.below(5)}`
  const name = () => {
    names += 1
    return `name-${names}`
  }
  const some = <T extends { readonly ID: string }>(list: readonly T[]) =>
    Array.from({ length: random.below(3) }, () => known(list))
      .filter((record) => record !== undefined)
      .map(({ ID }) => ({ ID }))
  const links = () => ({
    Description: random.chance(1 / 2) ? `text ${random.below(9)} é "quoted"` : '',
    Policies: some(policies),
    Roles: some(roles),
    ...(random.chance(1 / 4) ? { ServiceIdentities: [{ ServiceName: random.pick(['web', 'db']) }] } : {}),
    ...(random.chance(1 / 6) ? { NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }] } : {}),
  })

  const readPath = (): string => {
    const policy = known(policies)
    const role = known(roles)
    switch (random.below(14)) {
      case 0:
        return `/acl/token/${accessor()}?expanded`
      case 1:
        return '/acl/token/self'
      case 2:
        return '/acl/tokens'
      case 3:
        return `/acl/tokens?policy=${policy?.ID ?? unknown}`
      case 4:
        return `/acl/tokens?role=${role?.ID ?? unknown}`
      case 5:
        return `/acl/tokens?limit=${1 + random.below(20)}`
      case 6:
        return random.chance(1 / 2) ? '/acl/policies' : '/acl/roles'
      case 7:
        return `/acl/policy/${policy?.ID ?? unknown}`
      case 8:
        return `/acl/policy/name/${policy?.Name ?? 'none'}`
      case 9:
        return `/acl/role/${role?.ID ?? unknown}`
      case 10:
        return `/kv/${key()}`
      case 11:
        return `/kv/${random.pick(['a', 'b'])}/?${random.pick(['keys', 'recurse'])}`
      default:
        return `/acl/token/${accessor()}`
    }
  }
  const authorize = (): Request => ({
    method: 'POST',
    path: `/internal/acl/authorize${random.chance(1 / 3) ? '?explain' : ''}`,
    token: secret(),
    body: [
      { Resource: 'key', Segment: key(), Access: random.pick(['read', 'write', 'list']) },
      { Resource: 'service', Segment: 'web', Access: 'write' },
      { Resource: 'acl', Access: random.pick(['read', 'write']) },
    ],
  })
  const put = (path: string, body: unknown): Request => ({ method: 'PUT', path, token: MANAGEMENT, body })
  const remove = (path: string): Request => ({ method: 'DELETE', path, token: MANAGEMENT })

  return {
    read: () => {
      if (random.chance(1 / 5)) return authorize()
      const path = readPath()
      const mode = random.chance(1 / 3) ? `${path.includes('?') ? '&' : '?'}consistent` : ''
      return { method: 'GET', path: path + mode, token: secret() }
    },
    write: () => {
      const policy = known(policies)
      const role = known(roles)
      const Rules = random.pick(RULES)
      switch (random.below(12)) {
        case 0:
          return put('/acl/policy', { Name: name(), Rules })
        case 1:
          return policy
            ? put(`/acl/policy/${policy.ID}`, {
                ID: policy.ID,
                Name: random.chance(1 / 2) ? name() : policy.Name,
                Rules,
              })
            : put('/acl/policy', { Name: name(), Rules })
        case 2:
          return put('/acl/role', { Name: name(), Policies: some(policies) })
        case 3:
          return role
            ? put(`/acl/role/${role.ID}`, { ID: role.ID, Name: role.Name, Policies: some(policies) })
            : put('/acl/role', { Name: name() })
        case 4:
          if (policies.length > RECORDS_MAX / 2 || random.chance(1 / 4))
            return remove(`/acl/policy/${policy?.ID ?? unknown}`)
          return put('/acl/policy', { Name: name(), Rules })
        case 5:
          if (roles.length > RECORDS_MAX / 2 || random.chance(1 / 4))
            return remove(`/acl/role/${role?.ID ?? unknown}`)
          return put('/acl/role', { Name: name(), Policies: some(policies) })
        case 6:
        case 7:
          return put(`/acl/token/${accessor()}`, links())
        case 8:
          return tokens.length > RECORDS_MAX / 2
            ? remove(`/acl/token/${accessor()}`)
            : put('/acl/token', links())
        case 9:
          return put(`/acl/token/${accessor()}/clone`, {})
        case 10:
          return random.chance(1 / 4)
            ? remove(`/kv/${random.pick(['a/?recurse', key()])}`)
            : put(`/kv/${key()}`, name())
        default:
          return put('/acl/token', links())
      }
    },
    learn: ({ method, path }, text) => {
      if (method !== 'PUT' || path.startsWith('/kv/')) return
      const made = JSON.parse(text)
      const list = path.startsWith('/acl/token') ? tokens : path.startsWith('/acl/policy') ? policies : roles
      const at = list.findIndex((record) => idOf(record) === idOf(made))
      if (at >= 0) list[at] = made
      else list.push(made)
      // Deleted records remain for a while, so that reads also cover them.
      if (list.length > RECORDS_MAX) list.splice(random.below(list.length), 1)
    },
  }
}

function idOf(record: Token | Policy | Role): string {
  return 'AccessorID' in record ? record.AccessorID : record.ID
}
