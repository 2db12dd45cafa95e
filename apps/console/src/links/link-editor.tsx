import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useClient } from '../session/session.ts'
import { Button } from '../ui/controls.tsx'
import { Choice, Choices } from '../ui/overlay/choices.tsx'
import { type LinkNames, SHARED_LINK_LABELS } from './links.ts'

interface PickerProps {
  readonly label: string
  readonly value: readonly string[]
  readonly onValue: (value: readonly string[]) => void
}

function Chips({ label, value, onValue, children }: PickerProps & { readonly children: ReactNode }) {
  return (
    <fieldset className="chips">
      <legend className="field-label">{label}</legend>
      <div className="row">
        {value.map((chosen) => (
          <span key={chosen} className="chip">
            <span className="truncate">{chosen}</span>
            <button
              type="button"
              aria-label={`Remove ${chosen}`}
              onClick={() => onValue(value.filter((each) => each !== chosen))}
            >
              <X aria-hidden />
            </button>
          </span>
        ))}
        {children}
      </div>
    </fieldset>
  )
}

export function NamePicker({ kind, ...chips }: PickerProps & { readonly kind: 'policies' | 'roles' }) {
  const { label, value, onValue } = chips
  const client = useClient()
  const [isOpen, setOpen] = useState(false)
  const names = useQuery({
    queryKey: ['names', kind, client.toJSON().namespace],
    queryFn: async ({ signal }) => {
      const records =
        kind === 'policies' ? await client.policies.list({ signal }) : await client.roles.list({}, { signal })
      return records
        .map(({ Name, Description }) => ({ Name, Description }))
        .sort((a, b) => a.Name.localeCompare(b.Name))
    },
    staleTime: 5_000,
  })
  const add = (name: string) => {
    setOpen(false)
    onValue([...value, name])
  }
  return (
    <Chips {...chips}>
      <Choices
        label={label}
        isOpen={isOpen}
        onOpen={setOpen}
        modal
        placeholder="Find…"
        none={names.isPending ? 'Loading' : 'Nothing matches.'}
        trigger={
          <Button size="small" look="quiet" aria-label={`Add to ${label.toLowerCase()}`} icon={Plus}>
            Add
          </Button>
        }
      >
        {(names.data ?? [])
          .filter(({ Name }) => !value.includes(Name))
          .map(({ Name, Description }) => (
            <Choice key={Name} value={Name} title={Name} sub={Description} onSelect={() => add(Name)} />
          ))}
      </Choices>
    </Chips>
  )
}

function TextPicker({ placeholder, ...chips }: PickerProps & { readonly placeholder: string }) {
  const { label, value, onValue } = chips
  const [text, setText] = useState('')
  const add = (event?: FormEvent) => {
    event?.preventDefault()
    const name = text.trim()
    if (name !== '' && !value.includes(name)) onValue([...value, name])
    setText('')
  }
  return (
    <Chips {...chips}>
      <input
        className="input chip-input"
        aria-label={`Add to ${label.toLowerCase()}`}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => add()}
        onKeyDown={(event) => event.key === 'Enter' && add(event)}
      />
    </Chips>
  )
}

interface LinkPickersProps {
  readonly links: LinkNames
  readonly onLinks: (part: Partial<LinkNames>) => void
  readonly children?: ReactNode
}

export function LinkPickers({ links, onLinks, children }: LinkPickersProps) {
  const picker = (kind: keyof typeof SHARED_LINK_LABELS) => ({
    label: SHARED_LINK_LABELS[kind],
    value: links[kind],
    onValue: (value: readonly string[]) => onLinks({ [kind]: value }),
  })
  return (
    <>
      <NamePicker {...picker('policies')} kind="policies" />
      {children}
      <div className="grid-2">
        <TextPicker {...picker('services')} placeholder="web or web@dc1" />
        <TextPicker {...picker('nodes')} placeholder="node-1@dc1" />
      </div>
    </>
  )
}
