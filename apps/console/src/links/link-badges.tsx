import { Bot, FileText, Server, UsersRound } from 'lucide-react'
import type { Linked } from './links.ts'

const SHOWN = 3

interface LinkBadgesProps {
  readonly record: Linked
  readonly none?: string
  /** Shows all links, on as many lines as needed. */
  readonly isWhole?: boolean
}

export function LinkBadges({ record, none = 'No rights', isWhole = false }: LinkBadgesProps) {
  const links = [
    ...(record.Policies ?? []).map(({ Name }) => ({ icon: FileText, name: Name, key: `p${Name}` })),
    ...(record.Roles ?? []).map(({ Name }) => ({ icon: UsersRound, name: Name, key: `r${Name}` })),
    ...(record.ServiceIdentities ?? []).map(({ ServiceName }) => ({
      icon: Bot,
      name: ServiceName,
      key: `s${ServiceName}`,
    })),
    ...(record.NodeIdentities ?? []).map(({ NodeName, Datacenter }) => ({
      icon: Server,
      name: NodeName,
      key: `n${NodeName}/${Datacenter}`,
    })),
  ]
  if (links.length === 0) return <span className="muted small">{none}</span>
  const shown = isWhole ? links.length : SHOWN
  return (
    <span className="links" data-whole={isWhole}>
      {links.slice(0, shown).map(({ icon: Icon, name, key }) => (
        <span key={key} className="badge">
          <Icon aria-hidden />
          <span className="truncate">{name}</span>
        </span>
      ))}
      {links.length > shown && <span className="small muted">+{links.length - shown}</span>}
    </span>
  )
}
