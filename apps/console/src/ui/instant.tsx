import { absoluteTime, relativeTo, useNow } from '../live/instants.ts'
import { Badge } from './controls.tsx'

/** An instant in relative terms, with the exact one in its title. */
export function Instant({ value }: { readonly value: string }) {
  const now = useNow()
  return (
    <time dateTime={value} title={absoluteTime(value)} className="nums">
      {relativeTo(value, now)}
    </time>
  )
}

const SOON_MS = 3_600_000

export function Expiry({ value }: { readonly value: string | undefined }) {
  const now = useNow()
  if (value === undefined) return <span className="small muted">Never</span>
  const isSoon = Date.parse(value) - now < SOON_MS
  const text = <Instant value={value} />
  return isSoon ? <Badge tone="warn">{text}</Badge> : <span className="small">{text}</span>
}
