import type { Namespace } from '@latchkey/sdk'
import { Layers } from 'lucide-react'
import { LinkBadges } from '../links/link-badges.tsx'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { type Column, TitleCell } from '../ui/table/data-table.tsx'
import { ListPage } from '../ui/table/list-page.tsx'
import { defaultsOf, NamespaceDialog } from './namespace-dialog.tsx'

const COLUMNS: readonly Column<Namespace>[] = [
  {
    header: 'Name',
    track: 'minmax(0, 1fr)',
    cell: ({ Name, Description }) => (
      <TitleCell to="/namespaces/$name" params={{ name: Name }} title={Name} sub={Description} />
    ),
  },
  {
    header: 'Defaults',
    track: 'minmax(0, 1fr)',
    priority: 'low',
    cell: (namespace) => <LinkBadges record={defaultsOf(namespace)} none="No defaults" />,
  },
]

/** Separate sets of tokens, policies, roles and keys (extended edition). */
export function NamespacesPage() {
  const client = useClient()
  const rights = useRights()
  const namespaces = useLive(['namespaces'], (options) => client.namespaces.watchList(options))
  return (
    <ListPage
      title="Namespaces"
      lead="Separate sets of tokens, policies, roles and keys."
      query={namespaces}
      columns={COLUMNS}
      keyOf={({ Name }) => Name}
      textsOf={({ Name, Description }) => [Name, Description]}
      empty={{ icon: Layers, title: 'No namespaces', text: 'Your token may not read any namespace.' }}
      create={{ what: 'namespace', may: rights.operatorWrite }}
      dialog={(onClose) => <NamespaceDialog onClose={onClose} />}
    />
  )
}
