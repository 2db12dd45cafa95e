import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { Check, ChevronsUpDown, Layers, Settings2 } from 'lucide-react'
import { useNamespace } from '../session/namespace.ts'
import { useClient, useSession } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { texts } from '../texts.ts'
import { Menu } from '../ui/overlay/menu.tsx'

/** The namespace in which calls without one act, unless the token has its own. */
const DEFAULT = 'default'

const REFETCH_MS = 30_000

/** Which namespace the pages show, and another one to choose (extended edition). */
export function NamespaceSwitcher({ onNavigate }: { readonly onNavigate?: () => void }) {
  const session = useSession()
  const client = useClient()
  const rights = useRights()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const token = session.state === 'signedIn' ? session.token : undefined
  const own = token?.Namespace ?? DEFAULT
  const current = useNamespace() ?? own
  const namespaces = useQuery({
    queryKey: ['namespace-names'],
    queryFn: async ({ signal }) => (await client.namespaces.list({ signal })).map(({ Name }) => Name),
    enabled: rights.operatorRead,
    // A watch would hold one of the few connections on every page.
    refetchInterval: REFETCH_MS,
  })
  const choose = (name: string) => {
    onNavigate?.()
    // A record of one namespace is not in another: its list is.
    const [, section = ''] = pathname.split('/')
    void navigate({ to: `/${section}`, search: { ns: name === own ? undefined : name } })
  }
  const names = namespaces.data ?? [current]
  return (
    <Menu
      align="start"
      label={texts.namespaces.title}
      actions={[
        ...names.map((name) => ({
          label: name,
          icon: name === current ? Check : Layers,
          onSelect: () => choose(name),
        })),
        ...(rights.operatorRead
          ? [
              {
                label: texts.namespaces.manage,
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
      <button type="button" className="side-search switcher" aria-label={texts.namespaces.switcher(current)}>
        <Layers aria-hidden />
        <span className="truncate">{current}</span>
        <ChevronsUpDown aria-hidden />
      </button>
    </Menu>
  )
}
