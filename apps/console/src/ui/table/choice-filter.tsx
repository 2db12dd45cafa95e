import { Command } from 'cmdk'
import { Check, ChevronDown } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useState } from 'react'

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
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
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
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="popover palette-small"
          align="start"
          sideOffset={6}
          collisionPadding={8}
          aria-label={label}
        >
          <Command label={label} loop>
            <Command.Input placeholder="Find…" />
            <Command.List>
              <Command.Empty>Nothing matches.</Command.Empty>
              <Command.Item className="menu-item" value="*" onSelect={() => choose(undefined)}>
                Any
                {value === undefined && <Check aria-hidden />}
              </Command.Item>
              {all.map(([each, text]) => (
                <Command.Item key={each} className="menu-item" value={text} onSelect={() => choose(each)}>
                  <span className="truncate">{text}</span>
                  {each === value && <Check aria-hidden />}
                </Command.Item>
              ))}
            </Command.List>
          </Command>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
