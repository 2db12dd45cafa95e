import { Fragment } from 'react'
import { Button } from '../controls.tsx'
import { Dialog } from '../overlay/dialog.tsx'

/** A field of a record: its label, and its value as text. */
export type FieldText = readonly [label: string, text: string]

interface ConflictRow {
  readonly label: string
  readonly mine: string
  readonly theirs: string
}

/** The fields whose texts differ, or that only one version has. */
export function differences(
  mine: readonly FieldText[],
  theirs: readonly FieldText[],
): readonly ConflictRow[] {
  const [ours, others] = [new Map(mine), new Map(theirs)]
  return [...new Set([...ours.keys(), ...others.keys()])]
    .map((label) => ({ label, mine: ours.get(label) ?? '', theirs: others.get(label) ?? '' }))
    .filter((row) => row.mine !== row.theirs)
}

interface ConflictProps {
  /** The differing fields. */
  readonly rows: readonly ConflictRow[]
  readonly onMine: () => void
  readonly onTheirs: () => void
  readonly onClose: () => void
}

/** Two versions of a record; the person chooses which to continue editing. Choosing saves nothing. */
export function Conflict({ rows, onMine, onTheirs, onClose }: ConflictProps) {
  return (
    <Dialog
      title="Somebody else changed this record"
      lead="Choose the version to continue with. Nothing is saved yet."
      size="large"
      onClose={onClose}
      foot={
        <>
          <Button onClick={onTheirs}>Use the stored version</Button>
          <Button look="primary" onClick={onMine}>
            Continue with mine
          </Button>
        </>
      }
    >
      {rows.length === 0 ? (
        <p className="secondary">Both versions are the same.</p>
      ) : (
        <div className="conflict">
          <div className="conflict-head conflict-label" />
          <div className="conflict-head">Yours</div>
          <div className="conflict-head">Stored</div>
          {rows.map(({ label, mine, theirs }) => (
            <Fragment key={label}>
              <div className="conflict-head conflict-label">{label}</div>
              <div>{mine || <span className="muted">None</span>}</div>
              <div>{theirs || <span className="muted">None</span>}</div>
            </Fragment>
          ))}
        </div>
      )}
    </Dialog>
  )
}
