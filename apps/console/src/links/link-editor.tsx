/** Chooses what a token or a role links: policies, roles and identities, as removable chips. */
import { useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { Plus, X } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useClient } from '../session/session.ts'
import { Button } from '../ui/controls.tsx'
import type { LinkNames } from './links.ts'

interface ChipsProps {
  readonly label: string
  readonly values: readonly string[]
  readonly onRemove: (value: string) => void
  readonly children: ReactNode
}

function Chips({ label, values, onRemove, children }: ChipsProps) {
  return (
    <fieldset className="chips">
      <legend className="field-label">{label}</legend>
      <div className="row">
        {values.map((value) => (
          <span key={value} className="chip">
            <span className="truncate">{value}</span>
            <button type="button" aria-label={`Remove ${value}`} onClick={() => onRemove(value)}>
              <X aria-hidden />
            </button>
          </span>
        ))}
        {children}
      </div>
    </fieldset>
  )
}

interface NamePickerProps {
  readonly label: string
  readonly kind: 'policies' | 'roles'
  readonly values: readonly string[]
  readonly onValues: (values: readonly string[]) => void
}

/** Names of policies or roles, chosen from the existing ones. */
export function NamePicker({ label, kind, values, onValues }: NamePickerProps) {
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
    onValues([...values, name])
  }
  return (
    <Chips
      label={label}
      values={values}
      onRemove={(name) => onValues(values.filter((each) => each !== name))}
    >
      <Popover.Root open={isOpen} onOpenChange={setOpen} modal>
        <Popover.Trigger asChild>
          <Button size="small" look="quiet" aria-label={`Add to ${label.toLowerCase()}`}>
            <Plus aria-hidden />
            Add
          </Button>
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
                <Command.Empty>{names.isPending ? 'Loading' : 'Nothing matches.'}</Command.Empty>
                {(names.data ?? [])
                  .filter(({ Name }) => !values.includes(Name))
                  .map(({ Name, Description }) => (
                    <Command.Item key={Name} className="menu-item" value={Name} onSelect={() => add(Name)}>
                      <span className="cell-title">
                        <span className="truncate">{Name}</span>
                        {Description !== '' && <span className="cell-sub truncate">{Description}</span>}
                      </span>
                    </Command.Item>
                  ))}
              </Command.List>
            </Command>
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
    </Chips>
  )
}

interface TextPickerProps {
  readonly label: string
  readonly placeholder: string
  readonly values: readonly string[]
  readonly onValues: (values: readonly string[]) => void
}

/** Names that are typed, such as names of services. */
function TextPicker({ label, placeholder, values, onValues }: TextPickerProps) {
  const [text, setText] = useState('')
  const add = (event?: FormEvent) => {
    event?.preventDefault()
    const value = text.trim()
    if (value !== '' && !values.includes(value)) onValues([...values, value])
    setText('')
  }
  return (
    <Chips
      label={label}
      values={values}
      onRemove={(name) => onValues(values.filter((each) => each !== name))}
    >
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
  /** A picker between policies and identities. */
  readonly children?: ReactNode
}

/** The links that tokens and roles share. */
export function LinkPickers({ links, onLinks, children }: LinkPickersProps) {
  return (
    <>
      <NamePicker
        label="Policies"
        kind="policies"
        values={links.policies}
        onValues={(policies) => onLinks({ policies })}
      />
      {children}
      <div className="grid-2">
        <TextPicker
          label="Service identities"
          placeholder="web or web@dc1"
          values={links.services}
          onValues={(services) => onLinks({ services })}
        />
        <TextPicker
          label="Node identities"
          placeholder="node-1@dc1"
          values={links.nodes}
          onValues={(nodes) => onLinks({ nodes })}
        />
      </div>
    </>
  )
}
