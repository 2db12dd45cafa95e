import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { TitleCell } from '../ui/table/data-table.tsx'

interface TokenLinkProps {
  readonly id: string
  readonly className?: string
  readonly children: ReactNode
}

export function TokenLink({ id: accessorId, className, children }: TokenLinkProps) {
  return (
    <Link to="/tokens/$accessorId" params={{ accessorId }} preload={false} className={className}>
      {children}
    </Link>
  )
}

export function TokenCell({ AccessorID, Description }: { AccessorID: string; Description: string }) {
  const link = { to: '/tokens/$accessorId', params: { accessorId: AccessorID } } as const
  return <TitleCell {...link} title={Description || 'No description'} sub={AccessorID} isMono />
}
