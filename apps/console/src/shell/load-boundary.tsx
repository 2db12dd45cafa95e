import { Component, type ReactNode } from 'react'
import { Problem } from '../ui/feedback/problem.tsx'

interface LoadBoundaryProps {
  readonly children: ReactNode
}

/** Shows why the pages did not load, when there is no page yet that could. */
export class LoadBoundary extends Component<LoadBoundaryProps, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children
    return (
      <main className="gate">
        <div className="gate-box">
          <Problem error={this.state.error} onRetry={() => window.location.reload()} />
        </div>
      </main>
    )
  }
}
