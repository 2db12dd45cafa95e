import { Link } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useNavigation } from '../navigation.ts'
import { serverFacts } from '../server-facts.ts'
import { SessionBadge } from '../session/session-badge.tsx'
import { NamespaceSwitcher } from './namespace-switcher.tsx'

export function Brand() {
  return (
    <Link to="/" className="brand">
      <img src="/ui/icon.svg" alt="" />
      Latchkey
      <span className="brand-place">{serverFacts.datacenter}</span>
    </Link>
  )
}

interface SideNavProps {
  readonly onSearch: () => void
  readonly onNavigate?: () => void
}

export function SideNav({ onSearch, onNavigate }: SideNavProps) {
  return (
    <nav className="side" aria-label="Main">
      <Brand />
      {serverFacts.edition === 'extended' && <NamespaceSwitcher {...(onNavigate ? { onNavigate } : {})} />}
      <button type="button" className="side-search" onClick={onSearch}>
        <Search aria-hidden />
        Jump to…
        <kbd>Ctrl K</kbd>
      </button>
      <div>
        {useNavigation().map(({ title, items }) => (
          <div key={title ?? ''} className="nav-group">
            {title !== undefined && <div className="nav-title">{title}</div>}
            {items.map(({ to, label, icon: Icon }) => (
              <Link
                key={to}
                to={to}
                className="nav-link"
                activeOptions={{ exact: to === '/', includeSearch: false }}
                {...(onNavigate ? { onClick: onNavigate } : {})}
              >
                <Icon aria-hidden />
                {label}
              </Link>
            ))}
          </div>
        ))}
      </div>
      <div className="side-foot">
        <SessionBadge />
      </div>
    </nav>
  )
}
