import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type LinkNames, linkNamesOf, linksOf } from '../links/links.ts'
import { serverFacts } from '../server-facts.ts'
import { useClient, withoutSecret } from '../session/session.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/button.tsx'
import { Conflict, type ConflictRow } from '../ui/conflict.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Problem } from '../ui/problem.tsx'
import { showToast } from '../ui/toast.tsx'
import type { ShownToken } from './shown-token.ts'
import { type TokenContent, TokenForm } from './token-form.tsx'

interface EditTokenProps {
  /** As the page shows it: it follows changes made elsewhere while the person types. */
  readonly token: ShownToken
  readonly onClose: () => void
}

/** Edits a token. If somebody else has changed it since, saving shows both versions. */
export function EditToken({ token, onClose }: EditTokenProps) {
  const client = useClient()
  const queries = useQueryClient()
  const [base, setBase] = useState(token)
  const [content, setContent] = useState<TokenContent>(() => contentOf(token))
  const [theirs, setTheirs] = useState<ShownToken>()
  const save = useMutation({
    mutationFn: async () => {
      const stored = withoutSecret(await client.tokens.read(token.AccessorID, { consistency: 'consistent' }))
      if (stored.ModifyIndex !== base.ModifyIndex) {
        setTheirs(stored)
        return false
      }
      await client.tokens.update(token.AccessorID, {
        Description: content.description.trim(),
        ...linksOf(content.links, serverFacts.datacenter),
        Roles: content.links.roles.map((Name) => ({ Name })),
        Local: token.Local,
      })
      return true
    },
    onSuccess: async (isSaved) => {
      if (!isSaved) return
      showToast({ text: texts.tokens.saved })
      await queries.invalidateQueries({ queryKey: ['token-expanded', token.AccessorID] })
      onClose()
    },
  })
  if (theirs) {
    const settle = (chosen: TokenContent) => {
      setBase(theirs)
      setContent(chosen)
      setTheirs(undefined)
    }
    return (
      <Conflict
        rows={differences(content, contentOf(theirs))}
        onMine={() => settle(content)}
        onTheirs={() => settle(contentOf(theirs))}
        onClose={() => setTheirs(undefined)}
      />
    )
  }
  return (
    <Dialog
      title={texts.tokens.edit}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" look="primary" busy={save.isPending}>
            {texts.common.save}
          </Button>
        </>
      }
    >
      <div className="stack">
        {token.ModifyIndex !== base.ModifyIndex && (
          <div className="problem" data-tone="info" role="status">
            <div style={{ gridColumn: '1 / -1' }}>{texts.conflict.changed}</div>
          </div>
        )}
        <TokenForm content={content} onContent={setContent} />
        {save.error && <Problem error={save.error} />}
      </div>
    </Dialog>
  )
}

function contentOf(token: ShownToken): TokenContent {
  return { description: token.Description, links: linkNamesOf(token) }
}

const LINKS = ['policies', 'roles', 'services', 'nodes'] as const satisfies readonly (keyof LinkNames)[]

function differences(mine: TokenContent, theirs: TokenContent): readonly ConflictRow[] {
  const rows = [
    { label: texts.tokens.description, mine: mine.description, theirs: theirs.description },
    ...LINKS.map((name) => ({
      label: texts.links[name],
      mine: mine.links[name].join('\n'),
      theirs: theirs.links[name].join('\n'),
    })),
  ]
  return rows.filter((row) => row.mine !== row.theirs)
}
