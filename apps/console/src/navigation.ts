/** The pages of the side navigation and of the command palette. A page adds its line here and its route in routes.tsx. */
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
import type { RightName } from './session/use-rights.ts'
import { texts } from './texts.ts'

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

export interface NavigationGroup {
  readonly title?: string
  readonly items: readonly NavigationItem[]
}

/** Every page. {@link useNavigation} leaves out those that the person may not use. */
export const NAVIGATION: readonly NavigationGroup[] = [
  { items: [{ to: '/', label: texts.shell.overview, icon: House }] },
  {
    title: texts.shell.groups.access,
    items: [
      { to: '/tokens', label: texts.shell.tokens, icon: KeyRound, needs: 'aclRead' },
      { to: '/policies', label: texts.shell.policies, icon: FileText, needs: 'aclRead' },
      { to: '/roles', label: texts.shell.roles, icon: UsersRound, needs: 'aclRead' },
      { to: '/login-methods', label: texts.shell.logins, icon: LogIn, needs: 'aclRead' },
    ],
  },
  {
    title: texts.shell.groups.insight,
    items: [
      { to: '/ask', label: texts.shell.ask, icon: Scale },
      { to: '/kv', label: texts.shell.kv, icon: FolderTree, needs: 'keyRead' },
      { to: '/sessions', label: texts.shell.sessions, icon: Lock, needs: 'sessionRead' },
    ],
  },
  {
    title: texts.shell.groups.catalog,
    items: [
      { to: '/services', label: texts.shell.services, icon: Boxes, needs: 'serviceRead' },
      { to: '/nodes', label: texts.shell.nodes, icon: Server, needs: 'nodeRead' },
      { to: '/intentions', label: texts.shell.intentions, icon: Share2, needs: 'intentionRead' },
    ],
  },
  {
    title: texts.shell.groups.cluster,
    items: [
      { to: '/upgrade', label: texts.shell.upgrade, icon: CircleFadingArrowUp, needs: 'aclRead' },
      { to: '/datacenters', label: texts.shell.datacenters, icon: Globe },
      {
        to: '/namespaces',
        label: texts.shell.namespaces,
        icon: Layers,
        needs: 'operatorRead',
        extendedOnly: true,
      },
    ],
  },
]
