import type { UseQueryResult } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, type LucideIcon, Pencil, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type Editing, useEditing } from '../live/use-kept.ts'
import { Button, IconButton } from './controls.tsx'
import { Empty, Problem, Skeleton } from './feedback.tsx'
import { Confirm } from './overlay/dialog.tsx'
import { Menu } from './overlay/menu.tsx'
import { Page } from './page.tsx'
import { showToast } from './toast.tsx'

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
  readonly children: (record: T, editing: Editing) => ReactNode
}

/** The page of one record, which stays while its form is open, or why there is none to show. */
export function RecordPage<T>({ record, query, parent, title, gone, children }: RecordPageProps<T>) {
  const { shown, edit } = useEditing(record)
  if (shown) return children(shown, edit)
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

export function EditButton({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <Button onClick={onClick}>
      <Pencil aria-hidden />
      {label}
    </Button>
  )
}

interface DeleteMenuProps {
  /** Such as "Delete policy". */
  readonly label: string
  /** The question, which names the record. */
  readonly title: string
  /** What else is lost. */
  readonly children: ReactNode
  readonly onDelete: () => Promise<unknown>
  /** Shown afterwards. */
  readonly deleted?: string
  /** The list, which is opened afterwards. */
  readonly to: string
}

/** Deletes the record of a page, after a question. */
export function DeleteMenu({ label, title, children, onDelete, deleted, to }: DeleteMenuProps) {
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Menu actions={[{ label, icon: Trash2, tone: 'danger', onSelect: () => setAsking(true) }]}>
        <IconButton label="More actions">
          <Ellipsis aria-hidden />
        </IconButton>
      </Menu>
      {isAsking && (
        <Confirm
          title={title}
          action={label}
          onConfirm={async () => {
            await onDelete()
            if (deleted !== undefined) showToast({ text: deleted })
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
