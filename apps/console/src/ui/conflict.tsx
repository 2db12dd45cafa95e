import { Fragment } from 'react'
import { texts } from '../texts.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

export interface ConflictRow {
  readonly label: string
  readonly mine: string
  readonly theirs: string
}

interface ConflictProps {
  /** What differs. */
  readonly rows: readonly ConflictRow[]
  readonly onMine: () => void
  readonly onTheirs: () => void
  readonly onClose: () => void
}

/** Two versions of a record, of which the person chooses the one to edit further. Nothing is saved by choosing. */
export function Conflict({ rows, onMine, onTheirs, onClose }: ConflictProps) {
  return (
    <Dialog
      title={texts.conflict.title}
      lead={texts.conflict.lead}
      size="large"
      onClose={onClose}
      foot={
        <>
          <Button onClick={onTheirs}>{texts.conflict.takeTheirs}</Button>
          <Button look="primary" onClick={onMine}>
            {texts.conflict.keepMine}
          </Button>
        </>
      }
    >
      {rows.length === 0 ? (
        <p className="secondary">{texts.conflict.same}</p>
      ) : (
        <div className="conflict">
          <div className="conflict-head conflict-label" />
          <div className="conflict-head">{texts.conflict.mine}</div>
          <div className="conflict-head">{texts.conflict.theirs}</div>
          {rows.map(({ label, mine, theirs }) => (
            <Fragment key={label}>
              <div className="conflict-head conflict-label">{label}</div>
              <div>{mine || <span className="muted">{texts.common.none}</span>}</div>
              <div>{theirs || <span className="muted">{texts.common.none}</span>}</div>
            </Fragment>
          ))}
        </div>
      )}
    </Dialog>
  )
}
