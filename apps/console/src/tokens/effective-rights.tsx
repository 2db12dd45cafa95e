/** Where the rights of a token come from: policy, role or identity → rule → resource. */
import type { ExpandedToken, Policy, Role } from '@latchkey/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import * as icons from 'lucide-react'
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
  useRefetchOn(key, (client, options) => client.policies.list(options))
  useRefetchOn(key, (client, options) => client.roles.list({}, options))
  if (expanded.error) return <Problem error={expanded.error} onRetry={expanded.refetch} />
  if (!expanded.data) return <Skeleton lines={5} />
  return <Tree token={expanded.data} />
}

type Expanded = Omit<ExpandedToken, 'SecretID'>

function Tree({ token }: { readonly token: Expanded }) {
  const defaultPolicies = token.NamespaceDefaultPolicyIDs ?? []
  const defaultRoles = token.NamespaceDefaultRoleIDs ?? []
  const policies = new Map((token.ExpandedPolicies ?? []).map((policy) => [policy.ID, policy]))
  const roles = new Map((token.ExpandedRoles ?? []).map((role) => [role.ID, role]))
  const ofNamespace = new Set([...defaultPolicies, ...defaultRoles])
  const policyIds = [...(token.Policies ?? []).map(({ ID }) => ID), ...defaultPolicies]
  const roleIds = [...(token.Roles ?? []).map(({ ID }) => ID), ...defaultRoles]
  const { ServiceIdentities = [], NodeIdentities = [] } = token
  const isEmpty = [policyIds, roleIds, ServiceIdentities, NodeIdentities].every(({ length }) => length === 0)
  if (isEmpty) {
    return (
      <Empty icon={icons.ShieldOff} title="No rights">
        {token.AgentACLDefaultPolicy === 'allow'
          ? 'It has no policy, role or identity. This server allows everything that no rule denies.'
          : 'It has no policy, role or identity, so it cannot do anything.'}
      </Empty>
    )
  }
  return (
    <div className="tree">
      <PolicyNodes ids={policyIds} policies={policies} ofNamespace={ofNamespace} />
      {roleIds.flatMap((id) => {
        const role = roles.get(id)
        if (role === undefined) return []
        return (
          <Node
            key={id}
            icon={icons.UsersRound}
            name={role.Name}
            link={{ to: '/roles/$id', params: { id } }}
            note="role"
            isDefault={ofNamespace.has(id)}
          >
            <PolicyNodes ids={(role.Policies ?? []).map(({ ID }) => ID)} policies={policies} />
            <Identities holder={role} policies={policies} />
          </Node>
        )
      })}
      <Identities holder={token} policies={policies} />
      <p className="small muted tree-note">
        Everything that no rule mentions is {token.AgentACLDefaultPolicy === 'allow' ? 'allowed' : 'denied'}.
        If two rules match, the more specific one decides; for the same resource, deny wins.
      </p>
    </div>
  )
}

interface NodeProps {
  readonly icon: icons.LucideIcon
  readonly name: string
  readonly link?: Pick<LinkProps, 'to' | 'params'>
  readonly note: string
  readonly isDefault?: boolean | undefined
  readonly children: ReactNode
}

function Node({ icon: Icon, name, link, note, isDefault = false, children }: NodeProps) {
  return (
    <div className="tree-node">
      <details open>
        <summary>
          <icons.ChevronRight className="tree-arrow" aria-hidden />
          <Icon aria-hidden />
          <span className="tree-name truncate">{name}</span>
          <span className="small muted truncate">{note}</span>
          {isDefault && <Badge>from the namespace</Badge>}
        </summary>
        <div className="tree-inside">{children}</div>
      </details>
      {link && (
        <Link
          {...link}
          className="icon-button tree-open"
          aria-label={`Open ${link.to === '/roles/$id' ? 'role' : 'policy'} ${name}`}
        >
          <icons.ArrowUpRight aria-hidden />
        </Link>
      )}
    </div>
  )
}

type Policies = ReadonlyMap<string, Policy>

interface PolicyNodesProps {
  readonly ids: readonly string[]
  readonly policies: Policies
  readonly ofNamespace?: ReadonlySet<string>
}

function PolicyNodes({ ids, policies, ofNamespace }: PolicyNodesProps) {
  return ids.flatMap((id) => {
    const policy = policies.get(id)
    if (policy === undefined) return []
    return (
      <Node
        key={id}
        icon={icons.FileText}
        name={policy.Name}
        link={{ to: '/policies/$id', params: { id } }}
        note={policy.Datacenters ? `only in ${policy.Datacenters.join(', ')}` : 'policy'}
        isDefault={ofNamespace?.has(id)}
      >
        <Rules text={policy.Rules} />
      </Node>
    )
  })
}

interface IdentitiesProps {
  readonly holder: Pick<Role, 'ServiceIdentities' | 'NodeIdentities'>
  readonly policies: Policies
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
          icon={icons.Bot}
          name={ServiceName}
          note={Datacenters.length > 0 ? `only in ${Datacenters.join(', ')}` : 'service identity'}
        >
          <Rules text={implied('service', ServiceName)} />
        </Node>
      ))}
      {(holder.NodeIdentities ?? []).map(({ NodeName, Datacenter }) => (
        <Node
          key={`${NodeName}@${Datacenter}`}
          icon={icons.Server}
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
