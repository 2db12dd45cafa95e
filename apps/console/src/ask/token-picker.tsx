import { Command } from 'cmdk'
import { Check, ChevronDown } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useDeferredValue, useId, useState } from 'react'
import { type TokenRow, useTokenFeed } from '../tokens/list/token-feed.ts'

/** To find matches beyond this number, the person types more. */
const SHOWN = 50

interface TokenPickerProps {
  readonly label: string
  /** Accessor of the chosen token; `undefined`: the person's own. */
  readonly value: string | undefined
  readonly onValue: (accessorId: string | undefined) => void
}

/** Chooses among all tokens by words from their description, accessor or links. */
export function TokenPicker({ label, value, onValue }: TokenPickerProps) {
  const { rows } = useTokenFeed()
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const chosen = rows.find(({ AccessorID }) => AccessorID === value)
  const choose = (accessorId: string | undefined) => {
    setOpen(false)
    onValue(accessorId)
  }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <Popover.Root open={isOpen} onOpenChange={setOpen}>
        <Popover.Trigger asChild>
          <button id={id} type="button" className="input picker">
            <span className="truncate">
              {value === undefined ? 'My token' : chosen ? nameOf(chosen) : value}
            </span>
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
            <TokenChoices rows={rows} value={value} onChoose={choose} />
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
    </div>
  )
}

interface TokenChoicesProps {
  readonly rows: readonly TokenRow[]
  readonly value: string | undefined
  readonly onChoose: (accessorId: string | undefined) => void
}

function TokenChoices({ rows, value, onChoose }: TokenChoicesProps) {
  const [query, setQuery] = useState('')
  const words = useDeferredValue(query).toLowerCase().split(/\s+/).filter(Boolean)
  const found: TokenRow[] = []
  for (const row of rows) {
    if (words.every((word) => row.searched.includes(word))) found.push(row)
    if (found.length === SHOWN) break
  }
  return (
    <Command label="Token" shouldFilter={false} loop>
      <Command.Input placeholder="Find a token…" value={query} onValueChange={setQuery} />
      <Command.List>
        <Command.Empty>Nothing matches.</Command.Empty>
        {words.length === 0 && (
          <Command.Item className="menu-item" value="" onSelect={() => onChoose(undefined)}>
            My token
            {value === undefined && <Check aria-hidden />}
          </Command.Item>
        )}
        {found.map((row) => (
          <Command.Item
            key={row.AccessorID}
            className="menu-item"
            value={row.AccessorID}
            onSelect={() => onChoose(row.AccessorID)}
          >
            <span className="cell-title">
              <span className="truncate">{nameOf(row)}</span>
              <span className="cell-sub mono truncate">{row.AccessorID}</span>
            </span>
            {row.AccessorID === value && <Check aria-hidden />}
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  )
}

function nameOf({ Description }: TokenRow): string {
  return Description || 'No description'
}
