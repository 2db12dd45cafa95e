import { useLocation, useNavigate } from '@tanstack/react-router'
import { Check, ChevronsUpDown, Layers, Settings2 } from 'lucide-react'
import { useState } from 'react'
import { useLive } from '../live/use-live.ts'
import { useNamespace } from '../session/namespace.ts'
import { useSession } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Menu } from '../ui/overlay/menu.tsx'

/** The namespace of calls that name none, unless the token has its own. */
const DEFAULT = 'default'

/** Shows the namespace of the pages, and switches to another one (extended edition). */
export function NamespaceSwitcher({ onNavigate }: { readonly onNavigate?: () => void }) {
  const session = useSession()
  const rights = useRights()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const token = session.state === 'signedIn' ? session.token : undefined
  const own = token?.Namespace ?? DEFAULT
  const current = useNamespace() ?? own
  const [isOpen, setOpen] = useState(false)
  // Followed only while the menu is open: a watch on every page would hold one of the browser's few connections.
  const namespaces = useLive(['namespaces'], (client, options) => client.namespaces.watchList(options), {
    enabled: isOpen && rights.operatorRead,
  })
  const choose = (name: string) => {
    onNavigate?.()
    // A record does not exist in another namespace, so this switches to its list.
    const [, section = ''] = pathname.split('/')
    void navigate({ to: `/${section}`, search: { ns: name === own ? undefined : name } })
  }
  const names = namespaces.data?.map(({ Name }) => Name) ?? [current]
  return (
    <Menu
      align="start"
      label="Namespaces"
      onOpenChange={setOpen}
      actions={[
        ...names.map((name) => ({
          label: name,
          icon: name === current ? Check : Layers,
          onSelect: () => choose(name),
        })),
        ...(rights.operatorRead
          ? [
              {
                label: 'All namespaces',
                icon: Settings2,
                onSelect: () => {
                  onNavigate?.()
                  void navigate({ to: '/namespaces' })
                },
              },
            ]
          : []),
      ]}
    >
      <button
        type="button"
        className="side-search switcher"
        aria-label={`Namespace ${current}: choose another`}
      >
        <Layers aria-hidden />
        <span className="truncate">{current}</span>
        <ChevronsUpDown aria-hidden />
      </button>
    </Menu>
  )
}
