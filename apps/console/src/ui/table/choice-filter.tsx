import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { Choice, Choices } from '../overlay/choices.tsx'

interface ChoiceFilterProps {
  readonly label: string
  readonly value: string | undefined
  /** Called when the list opens. */
  readonly options: () => readonly (readonly [value: string, label: string])[]
  readonly onValue: (value: string | undefined) => void
}

/** A filter that shows its value: a button that opens a list, with a search if the list is long. */
export function ChoiceFilter({ label, value, options, onValue }: ChoiceFilterProps) {
  const [isOpen, setOpen] = useState(false)
  const choose = (chosen: string | undefined) => {
    setOpen(false)
    onValue(chosen)
  }
  const all = isOpen || value !== undefined ? options() : []
  const shown = all.find(([each]) => each === value)?.[1] ?? value
  return (
    <Choices
      label={label}
      isOpen={isOpen}
      onOpen={setOpen}
      placeholder="Find…"
      trigger={
        <button
          type="button"
          className="button filter-chip"
          data-look="plain"
          data-size="small"
          data-on={value !== undefined}
        >
          {shown === undefined ? label : `${label}: ${shown}`}
          <ChevronDown aria-hidden />
        </button>
      }
    >
      <Choice value="*" title="Any" isChosen={value === undefined} onSelect={() => choose(undefined)} />
      {all.map(([each, text]) => (
        <Choice
          key={each}
          value={text}
          title={text}
          isChosen={each === value}
          onSelect={() => choose(each)}
        />
      ))}
    </Choices>
  )
}
