import type { UseQueryResult } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, type LucideIcon, Pencil, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useCached } from '../live/use-live.ts'
import { type RightName, useRights } from '../session/use-rights.ts'
import { Button, IconButton } from './controls.tsx'
import { Empty, Problem, Skeleton } from './feedback.tsx'
import { Confirm } from './overlay/dialog.tsx'
import { Menu } from './overlay/menu.tsx'
import { Page } from './page.tsx'
import { showToast } from './toast.tsx'

export interface Editing {
  readonly isEdited: boolean
  readonly setEdited: (isEdited: boolean) => void
  /** The record was deleted elsewhere, and is shown only because its form is open. */
  readonly isDeleted: boolean
}

interface RecordPageProps<T> {
  /** Reads and follows the record; `null`: it does not exist. */
  readonly query: Pick<UseQueryResult, 'error' | 'isPending'> & {
    readonly data: T | null | undefined
    readonly refetch: () => unknown
  }
  readonly parent: { readonly to: string; readonly label: string }
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
  const { query, parent, title, gone, children } = props
  const [isOpen, setEdited] = useState(false)
  const isEdited = props.isEdited ?? isOpen
  const shown = useCached(query.data, isEdited)
  if (shown && !(query.error && !isEdited && props.showsError)) {
    return children(shown, { isEdited, setEdited, isDeleted: query.data === null })
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

/** What the form of a record needs: the record (absent: a new one), and whether it was deleted elsewhere. */
export interface RecordDialogProps<T> {
  readonly record?: T
  readonly isDeleted?: boolean
  readonly onClose: () => void
}

interface EditablePageProps<T extends { readonly Name: string }>
  extends Omit<RecordPageProps<T>, 'children'>,
    Pick<RecordActionsProps, 'what' | 'warning'> {
  readonly needs: RightName
  readonly nameOf?: (record: T) => string
  readonly leadOf: (record: T) => string | undefined
  readonly remove: (record: T) => Promise<unknown>
  readonly isRemovable?: (record: T) => boolean
  readonly actions?: (record: T) => ReactNode
  readonly dialog: (props: RecordDialogProps<T>) => ReactNode
  readonly children: (record: T) => ReactNode
}

/** The page of a record with a form in a dialog, which people with a right may edit and delete. */
export function EditablePage<T extends { readonly Name: string }>(props: EditablePageProps<T>) {
  const { parent, what, warning, needs, nameOf, leadOf, remove, isRemovable, actions, children } = props
  const rights = useRights()
  return (
    <RecordPage {...props}>
      {(record, { isEdited, setEdited, isDeleted }) => (
        <Page
          title={nameOf?.(record) ?? record.Name}
          parent={parent}
          lead={leadOf(record)}
          actions={
            <>
              {actions?.(record)}
              {rights[needs] && (
                <RecordActions
                  what={what}
                  warning={warning}
                  name={record.Name}
                  onEdit={() => setEdited(true)}
                  onDelete={isRemovable?.(record) === false ? undefined : () => remove(record)}
                  to={parent.to}
                />
              )}
            </>
          }
        >
          <div className="columns">{children(record)}</div>
          {isEdited && (
            <props.dialog record={record} isDeleted={isDeleted} onClose={() => setEdited(false)} />
          )}
        </Page>
      )}
    </RecordPage>
  )
}

interface RecordActionsProps {
  readonly what: string
  readonly name: string
  readonly onEdit?: () => void
  readonly onDelete?: (() => Promise<unknown>) | undefined
  readonly to: string
  readonly warning: string
}

/** Edits the record of a page, or deletes it after a question. */
export function RecordActions({ what, name, onEdit, onDelete, to, warning }: RecordActionsProps) {
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const label = `Delete ${what}`
  return (
    <>
      {onEdit && (
        <Button onClick={onEdit} icon={Pencil}>
          Edit {what}
        </Button>
      )}
      {onDelete && (
        <Menu actions={[{ label, icon: Trash2, tone: 'danger', onSelect: () => setAsking(true) }]}>
          <IconButton label="More actions" icon={Ellipsis} />
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
          {warning}
        </Confirm>
      )}
    </>
  )
}
