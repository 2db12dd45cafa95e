import { Bot, FileText, Server, UsersRound } from 'lucide-react'
import { texts } from '../texts.ts'
import type { Linked } from './links.ts'

/** Links beyond this number are only counted. */
const SHOWN = 3

/** Where a token or a role has its rights from, in one line. */
export function LinkBadges({ record }: { readonly record: Linked }) {
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
  if (links.length === 0) return <span className="muted small">{texts.tokens.noLinks}</span>
  return (
    <span className="links">
      {links.slice(0, SHOWN).map(({ icon: Icon, name, key }) => (
        <span key={key} className="badge">
          <Icon aria-hidden />
          <span className="truncate">{name}</span>
        </span>
      ))}
      {links.length > SHOWN && <span className="small muted">{texts.tokens.more(links.length - SHOWN)}</span>}
    </span>
  )
}
