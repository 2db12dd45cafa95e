import { absoluteTime, relativeTo } from '../live/instants.ts'
import { useNow } from '../live/use-now.ts'

/** An instant in relative terms, with the exact one in its title. */
export function Instant({ value }: { readonly value: string }) {
  const now = useNow()
  return (
    <time dateTime={value} title={absoluteTime(value)} className="nums">
      {relativeTo(value, now)}
    </time>
  )
}
