import { Search } from 'lucide-react'

interface SearchBoxProps {
  readonly label: string
  readonly value: string | undefined
  /** `undefined`: no search. */
  readonly onValue: (value: string | undefined) => void
}

/** The search field of a toolbar. */
export function SearchBox({ label, value, onValue }: SearchBoxProps) {
  return (
    <div className="search input-with-icon">
      <Search aria-hidden />
      <input
        className="input"
        type="search"
        aria-label={label}
        placeholder={label}
        value={value ?? ''}
        onChange={(event) => onValue(event.target.value || undefined)}
      />
    </div>
  )
}
