import '../ui/styles/kv.css'
import { type UseQueryResult, useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronLeft, File, Folder, FolderOpen, Plus, Trash2 } from 'lucide-react'
import { Fragment, useState } from 'react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useAllowed, useMay } from '../session/use-rights.ts'
import { Button, IconButton } from '../ui/controls.tsx'
import { Empty, Problem, Skeleton } from '../ui/feedback.tsx'
import { TextAreaField, TextField } from '../ui/form/field.tsx'
import { useChanged } from '../ui/form/unsaved.ts'
import { Confirm, Dialog } from '../ui/overlay/dialog.tsx'
import { Page } from '../ui/page.tsx'
import { type Column, DataTable } from '../ui/table/data-table.tsx'
import { DotStep, EntryPanel } from './entry-panel.tsx'
import { crumbsOf, hasDotStep, type KvSearch, rowsOf, SEPARATOR, shownName, type TreeRow } from './paths.ts'

const route = getRouteApi('/kv')
const ROW_REM = 2.75

export function KvPage() {
  const search = route.useSearch() as KvSearch
  const navigate = route.useNavigate()
  const prefix = search.in ?? ''
  const go = (to: KvSearch) => void navigate({ search: to })
  const folder = prefix === '' ? {} : { in: prefix }
  const withoutDialog = { ...folder, ...(search.key === undefined ? {} : { key: search.key }) }
  const keys = useLive(
    ['kv', 'keys', prefix],
    (client, options) => client.kv.watchKeys(prefix, { ...options, separator: SEPARATOR }),
    { enabled: !hasDotStep(prefix) },
  )
  // In the folder itself, or in something that it shows.
  const mayCreate = (useAllowed('key', 'write', [prefix, ...(keys.data ?? [])])?.size ?? 0) > 0
  const openCreated = async (key: string) => {
    // First closes the dialog: an unsaved value may keep the person at the open key.
    await navigate({ search: withoutDialog, replace: true })
    go({ ...folder, key })
  }
  return (
    <Page
      title="Keys and values"
      lead="The key-value store, as far as your token may read it."
      width="wide"
      actions={
        mayCreate && (
          <Button look="primary" onClick={() => go({ ...search, create: true })} icon={Plus}>
            Create key
          </Button>
        )
      }
    >
      <div className="kv" data-open={search.key !== undefined}>
        <Tree prefix={prefix} openKey={search.key} keys={keys} />
        {search.key === undefined ? (
          <section className="card kv-entry" aria-label="Key">
            <Empty icon={File} title="No key selected">
              Select a key on the left to read or edit its value.
            </Empty>
          </section>
        ) : (
          <div className="kv-entry">
            <Link to="/kv" search={folder} className="link-back">
              <ChevronLeft aria-hidden />
              {prefix === '' ? 'All keys' : prefix}
            </Link>
            <EntryPanel key={search.key} name={search.key} onGone={() => go(folder)} />
          </div>
        )}
      </div>
      {search.create && (
        <CreateKey
          prefix={prefix}
          onClose={() => go(withoutDialog)}
          onCreated={(key) => void openCreated(key)}
        />
      )}
    </Page>
  )
}

interface TreeProps {
  readonly prefix: string
  readonly openKey: string | undefined
  readonly keys: UseQueryResult<string[]>
}

function Tree({ prefix, openKey, keys }: TreeProps) {
  const client = useClient()
  const isReadable = !hasDotStep(prefix)
  const mayDelete = useMay('key', 'write-prefix', prefix)
  const [isDeleting, setDeleting] = useState(false)
  const rows = keys.data ? rowsOf(keys.data, prefix) : []
  return (
    <section className="card kv-tree" aria-label="Folder">
      <div className="toolbar">
        <nav className="kv-crumbs" aria-label="Open folder">
          <Link to="/kv" search={{}}>
            All keys
          </Link>
          {crumbsOf(prefix).map(({ label, prefix: to }) => (
            <Fragment key={to}>
              <span aria-hidden>/</span>
              <Link to="/kv" search={{ in: to }}>
                {label === '' ? '(empty)' : shownName(label)}
              </Link>
            </Fragment>
          ))}
        </nav>
        {prefix !== '' && mayDelete && rows.length > 0 && (
          <IconButton label="Delete folder" onClick={() => setDeleting(true)} icon={Trash2} />
        )}
      </div>
      {keys.error && <Problem error={keys.error} onRetry={keys.refetch} />}
      {!isReadable && <DotStep />}
      {isReadable && keys.isPending && <Skeleton lines={6} />}
      {keys.data && rows.length === 0 && (
        <Empty icon={FolderOpen} title="No keys here">
          This folder is empty, or your token may not read its keys.
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          label="Folder"
          columns={columnsOf(prefix, openKey)}
          rows={rows}
          keyOf={({ path, isFolder }) => `${isFolder} ${path}`}
          rowRem={ROW_REM}
          narrowTracks="minmax(0, 1fr)"
        />
      )}
      {isDeleting && (
        <Confirm
          title={`Delete everything below ${prefix}?`}
          action="Delete folder"
          onConfirm={() => client.kv.deleteTree(prefix)}
          onClose={() => setDeleting(false)}
        >
          This deletes all keys in this folder and its subfolders. It cannot be undone.
        </Confirm>
      )}
    </section>
  )
}

const columnsOf = (prefix: string, openKey: string | undefined): readonly Column<TreeRow>[] => [
  [
    'Name',
    'minmax(0, 1fr)',
    ({ path, name, isFolder }) => {
      const Icon = isFolder ? Folder : File
      const folder = prefix === '' ? {} : { in: prefix }
      return (
        <Link
          to="/kv"
          search={isFolder ? { in: path } : { ...folder, key: path }}
          className="cell-link kv-name"
          data-folder={isFolder}
          data-current={!isFolder && path === openKey}
        >
          <Icon aria-hidden />
          <span className="truncate">{shownName(name)}</span>
        </Link>
      )
    },
  ],
]

interface CreateKeyProps {
  readonly prefix: string
  readonly onClose: () => void
  readonly onCreated: (key: string) => void
}

/** Creates a key; never overwrites one. */
function CreateKey({ prefix, onClose, onCreated }: CreateKeyProps) {
  const client = useClient()
  const [key, setKey] = useState(prefix)
  const [value, setValue] = useState('')
  const isChanged = useChanged([key, value])
  const create = useMutation({
    mutationFn: () => client.kv.put(key, value, { cas: 0 }),
    onSuccess: (isWritten) => isWritten && onCreated(key),
  })
  const exists = create.data === false
  const isImpossible = hasDotStep(key)
  const isNamed = key !== '' && !key.endsWith('/') && !isImpossible
  return (
    <Dialog
      title="Create key"
      onClose={onClose}
      isChanged={isChanged}
      action={{ label: 'Create key', run: create, disabled: !isNamed }}
    >
      <TextField
        label="Key"
        hint="Use slashes to create folders."
        className="input mono"
        autoFocus
        value={key}
        onValue={(next) => {
          create.reset()
          setKey(next)
        }}
        error={
          exists
            ? 'This key already exists. Open it to edit its value.'
            : isImpossible
              ? 'A name between slashes cannot be “.” or “..”, because browsers remove them from URLs.'
              : undefined
        }
      />
      <TextAreaField label="Value" value={value} onValue={setValue} />
    </Dialog>
  )
}
