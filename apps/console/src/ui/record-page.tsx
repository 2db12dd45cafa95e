import type { UseQueryResult } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, type LucideIcon, Pencil, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useCached } from '../live/use-live.ts'
import { Button, IconButton } from './controls.tsx'
import { Empty, Problem, Skeleton } from './feedback.tsx'
import { Confirm } from './overlay/dialog.tsx'
import { Menu } from './overlay/menu.tsx'
import { Page } from './page.tsx'
import { showToast } from './toast.tsx'

/** Whether the form of a record is open. */
export interface Editing {
  readonly isEdited: boolean
  readonly setEdited: (isEdited: boolean) => void
  /** The record was deleted elsewhere, and is shown only because its form is open. */
  readonly isDeleted: boolean
}

interface RecordPageProps<T> {
  /** The record, which follows the server; `null`: it does not exist. */
  readonly record: T | null | undefined
  /** Reads the record. */
  readonly query: Pick<UseQueryResult, 'error' | 'isPending' | 'refetch'>
  /** The list that contains the record. */
  readonly parent: { readonly to: string; readonly label: string }
  /** The title until the record is known. */
  readonly title: string
  readonly gone: { readonly icon: LucideIcon; readonly title: string; readonly text: string }
  /** Whether the page itself is a form with input; absent: a form is open after `setEdited`. */
  readonly isEdited?: boolean
  /** Shows a failure instead of the last record. */
  readonly showsError?: boolean
  readonly children: (record: T, editing: Editing) => ReactNode
}

/** The page of one record, which stays while its form is open, or why there is none to show. */
export function RecordPage<T>(props: RecordPageProps<T>) {
  const { record, query, parent, title, gone, children } = props
  const [isOpen, setEdited] = useState(false)
  const isEdited = props.isEdited ?? isOpen
  const shown = useCached(record, isEdited)
  if (shown && !(query.error && !isEdited && props.showsError)) {
    return children(shown, { isEdited, setEdited, isDeleted: record === null })
  }
  return (
    <Page title={title} parent={parent}>
      {query.error ? (
        <Problem error={query.error} onRetry={query.refetch} />
      ) : query.isPending ? (
        <Skeleton lines={6} />
      ) : (
        <Empty icon={gone.icon} title={gone.title}>
          {gone.text}
        </Empty>
      )}
    </Page>
  )
}

interface RecordActionsProps {
  /** The kind of record: "role". */
  readonly what: string
  readonly name: string
  /** Absent: the page has no form. */
  readonly onEdit?: () => void
  /** Absent: the record cannot be deleted. */
  readonly onDelete?: (() => Promise<unknown>) | undefined
  /** The list, which is opened after a deletion. */
  readonly to: string
  /** What else a deletion destroys. */
  readonly children: ReactNode
}

/** Edits the record of a page, or deletes it after a question. */
export function RecordActions({ what, name, onEdit, onDelete, to, children }: RecordActionsProps) {
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const label = `Delete ${what}`
  return (
    <>
      {onEdit && (
        <Button onClick={onEdit}>
          <Pencil aria-hidden />
          Edit {what}
        </Button>
      )}
      {onDelete && (
        <Menu actions={[{ label, icon: Trash2, tone: 'danger', onSelect: () => setAsking(true) }]}>
          <IconButton label="More actions">
            <Ellipsis aria-hidden />
          </IconButton>
        </Menu>
      )}
      {isAsking && onDelete && (
        <Confirm
          title={`Delete “${name}”?`}
          action={label}
          onConfirm={async () => {
            await onDelete()
            showToast({ text: `Deleted “${name}”.` })
            await navigate({ to, ignoreBlocker: true })
          }}
          onClose={() => setAsking(false)}
        >
          {children}
        </Confirm>
      )}
    </>
  )
}
