import type { TokenReference } from '@latchkey/sdk'
import { TitleCell } from '../ui/table/data-table.tsx'

/** The first cell of a row about a token: a link to it, and its accessor. */
export function TokenCell({ token: { AccessorID, Description } }: { readonly token: TokenReference }) {
  return (
    <TitleCell
      to="/tokens/$accessorId"
      params={{ accessorId: AccessorID }}
      preload={false}
      title={Description || 'No description'}
      sub={AccessorID}
      isMono
    />
  )
}
