import { useMutation } from '@tanstack/react-query'
import { FileUp } from 'lucide-react'
import { type DragEvent, useId, useState } from 'react'
import { Problem } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import '../ui/styles/upgrade.css'
import { planDump } from './dump-plan.ts'
import { PlanView } from './plan-view.tsx'

/** Takes the dump of a legacy server, and shows what its upgrade would do. The file stays in the browser. */
export function PlanPage() {
  const [share, setShare] = useState(0)
  const plan = useMutation({
    mutationFn: (file: File) => planDump(file.stream(), (bytes) => setShare(bytes / file.size)),
  })
  return (
    <Page
      title="Plan an upgrade"
      lead="What an upgrade does to the tokens of a legacy server. Your browser reads the file and sends it nowhere."
      parent={{ to: '/upgrade', label: 'Upgrade' }}
    >
      <div className="stack" data-gap="large">
        <Drop onFile={plan.mutate} name={plan.variables?.name} />
        {plan.isPending && (
          <progress className="progress" aria-label="Reading the dump" value={share} max={1} />
        )}
        {plan.error && <Problem error={plan.error} />}
        {plan.data && <PlanView plan={plan.data} />}
      </div>
    </Page>
  )
}

interface DropProps {
  readonly onFile: (file: File) => void
  /** Of the file that is shown. */
  readonly name: string | undefined
}

function Drop({ onFile, name }: DropProps) {
  const id = useId()
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const file = event.dataTransfer.files[0]
    if (file) onFile(file)
  }
  return (
    <label
      htmlFor={id}
      className="drop"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <FileUp aria-hidden />
      <span>
        <strong>{name ?? 'Drop a dump here, or choose a file'}</strong>
        <span className="small secondary">
          The answer of GET /v1/acl/list, as a JSON list or with one token per line.
        </span>
      </span>
      <input
        id={id}
        type="file"
        className="visually-hidden"
        accept=".json,.ndjson,.txt,application/json"
        onChange={(event) => {
          const file = event.target.files?.[0]
          if (file) onFile(file)
        }}
      />
    </label>
  )
}
