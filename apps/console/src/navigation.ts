/** The pages of the side navigation and of the command palette. A page adds its line here and its route in router.tsx. */
import * as icons from 'lucide-react'
import { serverFacts } from './server-facts.ts'
import { type RightName, useOffers } from './session/use-rights.ts'

interface NavigationItem {
  /** Path of the page, without `/ui`. */
  readonly to: string
  readonly label: string
  readonly icon: icons.LucideIcon
  /** Offered to people who have this right; absent: to everyone. */
  readonly needs?: RightName
  readonly extendedOnly?: boolean
}

interface NavigationGroup {
  readonly title?: string
  readonly items: readonly NavigationItem[]
}

/** Every page. {@link useNavigation} leaves out those that the person may not use. */
export const NAVIGATION: readonly NavigationGroup[] = [
  { items: [{ to: '/', label: 'Overview', icon: icons.House }] },
  {
    title: 'Access',
    items: [
      { to: '/tokens', label: 'Tokens', icon: icons.KeyRound, needs: 'aclRead' },
      { to: '/policies', label: 'Policies', icon: icons.FileText, needs: 'aclRead' },
      { to: '/roles', label: 'Roles', icon: icons.UsersRound, needs: 'aclRead' },
      { to: '/login-methods', label: 'Login methods', icon: icons.LogIn, needs: 'aclRead' },
    ],
  },
  {
    title: 'Insight',
    items: [
      { to: '/ask', label: 'Ask', icon: icons.Scale },
      { to: '/kv', label: 'Keys and values', icon: icons.FolderTree, needs: 'keyRead' },
      { to: '/sessions', label: 'Sessions and locks', icon: icons.Lock, needs: 'sessionRead' },
    ],
  },
  {
    title: 'Catalog',
    items: [
      { to: '/services', label: 'Services', icon: icons.Boxes, needs: 'serviceRead' },
      { to: '/nodes', label: 'Nodes', icon: icons.Server, needs: 'nodeRead' },
      { to: '/intentions', label: 'Intentions', icon: icons.Share2, needs: 'intentionRead' },
    ],
  },
  {
    title: 'Cluster',
    items: [
      { to: '/upgrade', label: 'Upgrade', icon: icons.CircleFadingArrowUp, needs: 'aclRead' },
      { to: '/datacenters', label: 'Datacenters', icon: icons.Globe },
      {
        to: '/namespaces',
        label: 'Namespaces',
        icon: icons.Layers,
        needs: 'operatorRead',
        extendedOnly: true,
      },
    ],
  },
]

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
