import { LatchkeyError } from '@latchkey/sdk'
import type { UseQueryResult } from '@tanstack/react-query'
import { CircleAlert, type LucideIcon, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './controls.tsx'
import { CopyButton } from './copy.tsx'
import { isNotLoaded, messageOf } from './message-of.ts'

const TITLES = {
  permission_denied: 'Not allowed',
  not_found: 'Not found',
  conflict: 'Already in use',
  invalid: 'The server rejected this',
  legacy_mode: 'The server is in legacy mode',
  unavailable: 'The server is not available',
  timeout: 'No answer in time',
  contract_broken: 'This server does not speak the expected API',
  login_failed: 'The login did not succeed',
}

interface ProblemProps {
  readonly error: unknown
  /** Offers to try again, unless the server would reject the same request again. */
  readonly onRetry?: (() => unknown) | undefined
}

/** A failure: what happened, what was missing, the request id for the operator, and what to do. */
export function Problem({ error, onRetry: retry }: ProblemProps) {
  const known = error instanceof LatchkeyError ? error : undefined
  const onRetry = known?.kind === 'invalid' ? undefined : retry
  return (
    <div className="problem" role="alert" data-code={known?.code ?? known?.kind}>
      <CircleAlert aria-hidden />
      <div>
        <div className="problem-title">{titleOf(error)}</div>
        <div className="problem-text">{messageOf(error)}</div>
        {(known?.requestId !== undefined || onRetry) && (
          <div className="problem-foot">
            {onRetry && (
              <Button size="small" onClick={() => void onRetry()} icon={RotateCw}>
                Try again
              </Button>
            )}
            {known?.requestId !== undefined && (
              <span className="row">
                <span>
                  Request <code>{known.requestId}</code>
                </span>
                <CopyButton label="Copy request ID" text={() => known.requestId ?? ''} />
              </span>
            )}
          </div>
        )}
      </div>
    </div>
  )
}

function titleOf(error: unknown): string {
  if (isNotLoaded(error)) return 'This page could not be loaded'
  if (!(error instanceof LatchkeyError)) return 'Something went wrong in the console'
  return TITLES[error.kind]
}

export function Skeleton({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div className="skeleton-lines" role="status">
      <span className="visually-hidden">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className="skeleton" style={{ width: `${92 - ((line * 37) % 50)}%` }} />
      ))}
    </div>
  )
}

interface LoadedProps<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>
  readonly lines?: number
  readonly children: (data: T) => ReactNode
}

/** What a query has read, or why there is nothing to show. */
export function Loaded<T>({ query: { data, error, refetch }, lines = 6, children }: LoadedProps<T>) {
  if (error) return <Problem error={error} onRetry={refetch} />
  return data === undefined ? <Skeleton lines={lines} /> : children(data)
}

interface EmptyProps {
  readonly icon: LucideIcon
  /** Absent: the page's title says it. */
  readonly title?: string
  readonly children?: ReactNode
  readonly actions?: ReactNode
}

export function Empty({ icon: Icon, title, children, actions }: EmptyProps) {
  return (
    <div className="empty">
      <Icon aria-hidden />
      {title !== undefined && <h2>{title}</h2>}
      {children !== undefined && <p>{children}</p>}
      {actions !== undefined && <div className="row">{actions}</div>}
    </div>
  )
}
