import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'

interface PageProps {
  readonly title: string
  /** Shown instead of the title, which still names the tab. */
  readonly heading?: ReactNode
  readonly lead?: ReactNode
  readonly parent?: { readonly to: string; readonly label: string }
  readonly actions?: ReactNode
  readonly width?: 'narrow' | 'normal' | 'wide'
  readonly children: ReactNode
}

/** A page: its title, which also names the tab, its actions and its content. */
export function Page({ title, heading, lead, parent, actions, width = 'normal', children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Latchkey`
  }, [title])
  return (
    <div className="page" data-width={width}>
      <div className="page-head">
        <div className="page-title">
          {parent && (
            <nav className="crumbs" aria-label="Breadcrumb">
              <Link to={parent.to}>{parent.label}</Link>
              <span aria-hidden>/</span>
            </nav>
          )}
          <h1>{heading ?? title}</h1>
          {lead !== undefined && <p className="page-lead">{lead}</p>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  )
}

interface CardProps {
  readonly title?: string
  readonly actions?: ReactNode
  readonly children: ReactNode
  /** The content extends to the edges, as tables do. */
  readonly flush?: boolean
}

export function Card({ title, actions, children, flush = false }: CardProps) {
  return (
    <section className="card" aria-label={title} data-flush={flush}>
      {title !== undefined && (
        <div className="card-head">
          <h2>{title}</h2>
          {actions}
        </div>
      )}
      {flush ? children : <div className="card-body">{children}</div>}
    </section>
  )
}

type Fact = readonly [title: string, value: ReactNode, className?: string]

/** Facts about a record; those without a value are left out. */
export function Facts(props: { readonly facts: readonly Fact[]; readonly className?: string }) {
  const { facts, className: look = '' } = props
  return (
    <dl className={`facts ${look}`}>
      {facts
        .filter(([, value]) => value !== undefined && value !== false && value !== '')
        .map(([title, value, className]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd className={className}>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
