import { LinkPickers, NamePicker } from '../links/link-editor.tsx'
import type { LinkNames } from '../links/links.ts'
import { TextField } from '../ui/form/field.tsx'

export interface TokenContent {
  readonly description: string
  readonly links: LinkNames
}

interface TokenFormProps {
  readonly content: TokenContent
  readonly onContent: (content: TokenContent) => void
}

/** The fields that create and edit share. */
export function TokenForm({ content, onContent }: TokenFormProps) {
  const { description, links } = content
  const link = (part: Partial<LinkNames>) => onContent({ description, links: { ...links, ...part } })
  return (
    <>
      <TextField
        label="Description"
        hint="Who or what uses the token."
        name="description"
        value={description}
        onValue={(value) => onContent({ links, description: value })}
      />
      <LinkPickers links={links} onLinks={link}>
        <NamePicker label="Roles" kind="roles" values={links.roles} onValues={(roles) => link({ roles })} />
      </LinkPickers>
    </>
  )
}
