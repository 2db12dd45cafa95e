import { LatchkeyError } from '@latchkey/sdk'
import { CircleAlert, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { texts } from '../../texts.ts'
import { Button } from '../button.tsx'
import { CopyButton } from '../copy-button.tsx'
import { isNotLoaded, messageOf } from './message-of.ts'

interface ProblemProps {
  readonly error: unknown
  /** Offers to try again, unless the server would reject the same request again. */
  readonly onRetry?: (() => unknown) | undefined
  /** An alternative, such as a link. */
  readonly children?: ReactNode
}

/** A failure: what happened, what was missing, the request id for the operator, and what to do. */
export function Problem({ error, onRetry: retry, children }: ProblemProps) {
  const known = error instanceof LatchkeyError ? error : undefined
  const onRetry = known?.kind === 'invalid' ? undefined : retry
  return (
    <div className="problem" role="alert" data-code={known?.code ?? known?.kind}>
      <CircleAlert aria-hidden />
      <div>
        <div className="problem-title">{titleOf(error)}</div>
        <div className="problem-text">{messageOf(error)}</div>
        {(known?.requestId !== undefined || onRetry || children) && (
          <div className="problem-foot">
            {onRetry && (
              <Button size="small" onClick={() => void onRetry()}>
                <RotateCw aria-hidden />
                {texts.common.retry}
              </Button>
            )}
            {children}
            {known?.requestId !== undefined && (
              <span className="row">
                <span>
                  {texts.problem.request} <code>{known.requestId}</code>
                </span>
                <CopyButton label={texts.problem.copyRequest} text={() => known.requestId ?? ''} />
              </span>
            )}
          </div>
        )}
      </div>
    </div>
  )
}

function titleOf(error: unknown): string {
  if (isNotLoaded(error)) return texts.shell.notLoadedTitle
  if (!(error instanceof LatchkeyError)) return texts.problem.unexpected
  return texts.problem.titles[error.kind]
}
