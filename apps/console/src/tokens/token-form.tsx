import { NamePicker, TextPicker } from '../links/link-editor.tsx'
import type { LinkNames } from '../links/links.ts'
import { texts } from '../texts.ts'
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
        label={texts.tokens.description}
        hint={texts.tokens.descriptionHint}
        name="description"
        value={description}
        onValue={(value) => onContent({ links, description: value })}
      />
      <NamePicker
        label={texts.links.policies}
        kind="policies"
        values={links.policies}
        onValues={(policies) => link({ policies })}
      />
      <NamePicker
        label={texts.links.roles}
        kind="roles"
        values={links.roles}
        onValues={(roles) => link({ roles })}
      />
      <div className="grid-2">
        <TextPicker
          label={texts.links.services}
          placeholder={texts.links.serviceHint}
          values={links.services}
          onValues={(services) => link({ services })}
        />
        <TextPicker
          label={texts.links.nodes}
          placeholder={texts.links.nodeHint}
          values={links.nodes}
          onValues={(nodes) => link({ nodes })}
        />
      </div>
    </>
  )
}
