/** The pages of the side navigation and of the command palette. A page adds its line here and its route in router.tsx. */
import {
  Boxes,
  CircleFadingArrowUp,
  FileText,
  FolderTree,
  Globe,
  House,
  KeyRound,
  Layers,
  Lock,
  LogIn,
  type LucideIcon,
  Scale,
  Server,
  Share2,
  UsersRound,
} from 'lucide-react'
import { serverFacts } from './server-facts.ts'
import { type RightName, useOffers } from './session/use-rights.ts'

interface NavigationItem {
  /** Path of the page, without `/ui`. */
  readonly to: string
  readonly label: string
  readonly icon: LucideIcon
  /** Offered to people who have this right; absent: to everyone. */
  readonly needs?: RightName
  /** Left out of the standard edition. */
  readonly extendedOnly?: boolean
}

interface NavigationGroup {
  readonly title?: string
  readonly items: readonly NavigationItem[]
}

/** Every page. {@link useNavigation} leaves out those that the person may not use. */
export const NAVIGATION: readonly NavigationGroup[] = [
  { items: [{ to: '/', label: 'Overview', icon: House }] },
  {
    title: 'Access',
    items: [
      { to: '/tokens', label: 'Tokens', icon: KeyRound, needs: 'aclRead' },
      { to: '/policies', label: 'Policies', icon: FileText, needs: 'aclRead' },
      { to: '/roles', label: 'Roles', icon: UsersRound, needs: 'aclRead' },
      { to: '/login-methods', label: 'Login methods', icon: LogIn, needs: 'aclRead' },
    ],
  },
  {
    title: 'Insight',
    items: [
      { to: '/ask', label: 'Ask', icon: Scale },
      { to: '/kv', label: 'Keys and values', icon: FolderTree, needs: 'keyRead' },
      { to: '/sessions', label: 'Sessions and locks', icon: Lock, needs: 'sessionRead' },
    ],
  },
  {
    title: 'Catalog',
    items: [
      { to: '/services', label: 'Services', icon: Boxes, needs: 'serviceRead' },
      { to: '/nodes', label: 'Nodes', icon: Server, needs: 'nodeRead' },
      { to: '/intentions', label: 'Intentions', icon: Share2, needs: 'intentionRead' },
    ],
  },
  {
    title: 'Cluster',
    items: [
      { to: '/upgrade', label: 'Upgrade', icon: CircleFadingArrowUp, needs: 'aclRead' },
      { to: '/datacenters', label: 'Datacenters', icon: Globe },
      { to: '/namespaces', label: 'Namespaces', icon: Layers, needs: 'operatorRead', extendedOnly: true },
    ],
  },
]

/** The pages that the person may use, in this edition. */
export function useNavigation(): readonly NavigationGroup[] {
  const offers = useOffers()
  return NAVIGATION.map((group) => ({
    ...group,
    items: group.items.filter(
      ({ needs, extendedOnly }) =>
        (!extendedOnly || serverFacts.edition === 'extended') && offers(needs) === true,
    ),
  })).filter(({ items }) => items.length > 0)
}
