/** Where the rights of a token come from: policy, role or identity → rule → resource. */
import type { ExpandedToken, Policy, Role } from '@latchkey/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import {
  ArrowUpRight,
  Bot,
  ChevronRight,
  FileText,
  type LucideIcon,
  Server,
  ShieldOff,
  UsersRound,
} from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { useRefetchOn } from '../live/use-live.ts'
import { type KnownToken, useClient } from '../session/session.ts'
import { Badge } from '../ui/controls.tsx'
import { Empty, Problem, Skeleton } from '../ui/feedback.tsx'

const RuleList = lazy(() => import('../rules/rule-list.tsx'))

export function EffectiveRights({ token }: { readonly token: KnownToken }) {
  const client = useClient()
  const key = ['token-expanded', token.AccessorID, token.ModifyIndex]
  const expanded = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const { SecretID: _, ...rest } = await client.tokens.read(token.AccessorID, { expanded: true, signal })
      return rest
    },
    placeholderData: (before) => before,
  })
  // Policies and roles change independently of the token.
  useRefetchOn(key, ({ limit: _, ...options }) => client.withMeta().policies.list(options))
  useRefetchOn(key, ({ limit: _, ...options }) => client.withMeta().roles.list({}, options))
  if (expanded.error) return <Problem error={expanded.error} onRetry={expanded.refetch} />
  if (!expanded.data) return <Skeleton lines={5} />
  return <Tree token={expanded.data} />
}

type Expanded = Omit<ExpandedToken, 'SecretID'>

function Tree({ token }: { readonly token: Expanded }) {
  const policies = new Map((token.ExpandedPolicies ?? []).map((policy) => [policy.ID, policy]))
  const roles = new Map((token.ExpandedRoles ?? []).map((role) => [role.ID, role]))
  const ofNamespace = new Set([
    ...(token.NamespaceDefaultPolicyIDs ?? []),
    ...(token.NamespaceDefaultRoleIDs ?? []),
  ])
  const policyIds = [
    ...(token.Policies ?? []).map(({ ID }) => ID),
    ...(token.NamespaceDefaultPolicyIDs ?? []),
  ]
  const roleIds = [...(token.Roles ?? []).map(({ ID }) => ID), ...(token.NamespaceDefaultRoleIDs ?? [])]
  const isEmpty =
    policyIds.length + roleIds.length === 0 &&
    !token.ServiceIdentities?.length &&
    !token.NodeIdentities?.length
  if (isEmpty) {
    return (
      <Empty icon={ShieldOff} title="No rights">
        {token.AgentACLDefaultPolicy === 'allow'
          ? 'It has no policy, role or identity. This server allows everything that no rule denies.'
          : 'It has no policy, role or identity, so it cannot do anything.'}
      </Empty>
    )
  }
  return (
    <div className="tree">
      {policyIds.flatMap((id) => {
        const policy = policies.get(id)
        return policy ? [<PolicyNode key={id} policy={policy} isDefault={ofNamespace.has(id)} />] : []
      })}
      {roleIds.flatMap((id) => {
        const role = roles.get(id)
        return role
          ? [<RoleNode key={id} role={role} policies={policies} isDefault={ofNamespace.has(id)} />]
          : []
      })}
      <Identities holder={token} policies={policies} />
      <p className="small muted tree-note">
        {otherwiseText(token.AgentACLDefaultPolicy)} If two rules match, the more specific one decides; for
        the same resource, deny wins.
      </p>
    </div>
  )
}

interface NodeProps {
  readonly icon: LucideIcon
  readonly name: string
  /** A link to the record. */
  readonly link?: ReactNode
  readonly note: string
  readonly badge?: string | undefined
  readonly children: ReactNode
}

function Node({ icon: Icon, name, link, note, badge, children }: NodeProps) {
  return (
    <div className="tree-node">
      <details open>
        <summary>
          <ChevronRight className="tree-arrow" aria-hidden />
          <Icon aria-hidden />
          <span className="tree-name truncate">{name}</span>
          <span className="small muted truncate">{note}</span>
          {badge !== undefined && <Badge>{badge}</Badge>}
        </summary>
        <div className="tree-inside">{children}</div>
      </details>
      {link}
    </div>
  )
}

function PolicyNode({
  policy,
  isDefault = false,
}: {
  readonly policy: Policy
  readonly isDefault?: boolean
}) {
  return (
    <Node
      icon={FileText}
      name={policy.Name}
      link={
        <Link
          to="/policies/$id"
          params={{ id: policy.ID }}
          className="icon-button tree-open"
          aria-label={`Open policy ${policy.Name}`}
        >
          <ArrowUpRight aria-hidden />
        </Link>
      }
      note={policy.Datacenters ? `only in ${policy.Datacenters.join(', ')}` : 'policy'}
      badge={isDefault ? 'from the namespace' : undefined}
    >
      <Rules text={policy.Rules} />
    </Node>
  )
}

interface RoleNodeProps {
  readonly role: Role
  readonly policies: ReadonlyMap<string, Policy>
  readonly isDefault: boolean
}

function RoleNode({ role, policies, isDefault }: RoleNodeProps) {
  return (
    <Node
      icon={UsersRound}
      name={role.Name}
      link={
        <Link
          to="/roles/$id"
          params={{ id: role.ID }}
          className="icon-button tree-open"
          aria-label={`Open role ${role.Name}`}
        >
          <ArrowUpRight aria-hidden />
        </Link>
      }
      note="role"
      badge={isDefault ? 'from the namespace' : undefined}
    >
      {(role.Policies ?? []).flatMap(({ ID }) => {
        const policy = policies.get(ID)
        return policy ? [<PolicyNode key={ID} policy={policy} />] : []
      })}
      <Identities holder={role} policies={policies} />
    </Node>
  )
}

interface IdentitiesProps {
  readonly holder: Pick<Role, 'ServiceIdentities' | 'NodeIdentities'>
  readonly policies: ReadonlyMap<string, Policy>
}

function Identities({ holder, policies }: IdentitiesProps) {
  const implied = (keyword: string, name: string) =>
    [...policies.values()].find(
      ({ CreateIndex, Rules: text }) => CreateIndex === 0 && text.startsWith(`\n${keyword} "${name}"`),
    )?.Rules ?? ''
  return (
    <>
      {(holder.ServiceIdentities ?? []).map(({ ServiceName, Datacenters = [] }) => (
        <Node
          key={ServiceName}
          icon={Bot}
          name={ServiceName}
          note={Datacenters.length > 0 ? `only in ${Datacenters.join(', ')}` : 'service identity'}
        >
          <Rules text={implied('service', ServiceName)} />
        </Node>
      ))}
      {(holder.NodeIdentities ?? []).map(({ NodeName, Datacenter }) => (
        <Node
          key={`${NodeName}@${Datacenter}`}
          icon={Server}
          name={NodeName}
          note={`node identity in ${Datacenter}`}
        >
          <Rules text={implied('node', NodeName)} />
        </Node>
      ))}
    </>
  )
}

function Rules({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<Skeleton lines={2} />}>
      <RuleList rules={text} />
    </Suspense>
  )
}

function otherwiseText(policy: string): string {
  return policy === 'allow'
    ? 'Everything that no rule mentions is allowed.'
    : 'Everything that no rule mentions is denied.'
}
