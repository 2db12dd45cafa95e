import { ChevronDown } from 'lucide-react'
import { useDeferredValue, useId, useState } from 'react'
import { useTokenFeed } from '../tokens/list/token-feed.ts'
import { Choice, Choices } from '../ui/overlay/choices.tsx'

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
  const [query, setQuery] = useState('')
  const id = useId()
  const chosen = rows.find(({ AccessorID }) => AccessorID === value)
  const open = (isNow: boolean) => {
    setOpen(isNow)
    setQuery('')
  }
  const choose = (accessorId: string | undefined) => {
    open(false)
    onValue(accessorId)
  }
  const words = useDeferredValue(query).toLowerCase().split(/\s+/).filter(Boolean)
  const matching = (isOpen ? rows : []).filter(({ searched }) =>
    words.every((word) => searched.includes(word)),
  )
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <Choices
        label={label}
        isOpen={isOpen}
        onOpen={open}
        shouldFilter={false}
        placeholder="Find a token…"
        value={query}
        onValueChange={setQuery}
        trigger={
          <button id={id} type="button" className="input picker">
            <span className="truncate">
              {value === undefined ? 'My token' : chosen ? chosen.Description || 'No description' : value}
            </span>
            <ChevronDown aria-hidden />
          </button>
        }
      >
        {words.length === 0 && (
          <Choice
            value=""
            title="My token"
            isChosen={value === undefined}
            onSelect={() => choose(undefined)}
          />
        )}
        {matching.slice(0, SHOWN).map(({ AccessorID, Description }) => (
          <Choice
            key={AccessorID}
            value={AccessorID}
            title={Description || 'No description'}
            sub={AccessorID}
            isMono
            isChosen={AccessorID === value}
            onSelect={() => choose(AccessorID)}
          />
        ))}
      </Choices>
    </div>
  )
}
