/** Hands over a secret: copied without entering the page, or shown on demand. */
import { useMutation } from '@tanstack/react-query'
import { Check, Copy, Eye, EyeOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from './controls.tsx'
import { copyText } from './copy.tsx'
import { Problem } from './feedback.tsx'

const COPIED_MS = 2_500

type ReadSecret = () => string | Promise<string>

export function useCopySecret(read: ReadSecret) {
  return useMutation({ mutationFn: async () => copyText(await read()) })
}

interface CopySecretProps {
  readonly copy: ReturnType<typeof useCopySecret>
  readonly look?: 'primary' | 'plain'
  readonly size?: 'small' | 'medium'
  /** Offers to copy again after a moment. */
  readonly isRepeated?: boolean
}

export function CopySecret({ copy, look = 'plain', size = 'medium', isRepeated = false }: CopySecretProps) {
  const { reset, isSuccess } = copy
  useEffect(() => {
    if (!isSuccess || !isRepeated) return
    const timer = setTimeout(reset, COPIED_MS)
    return () => clearTimeout(timer)
  }, [isSuccess, isRepeated, reset])
  return (
    <Button
      look={look}
      size={size}
      icon={isSuccess ? Check : Copy}
      busy={copy.isPending}
      onClick={() => copy.mutate()}
    >
      {isSuccess ? 'Copied' : 'Copy secret'}
    </Button>
  )
}

interface ShownSecretProps {
  readonly read: ReadSecret
  readonly shownMs?: number
  readonly onShown?: () => void
}

export function ShownSecret({ read, shownMs, onShown }: ShownSecretProps) {
  const [shown, setShown] = useState<string>()
  const show = useMutation({ mutationFn: async () => setShown(await read()), onSuccess: () => onShown?.() })
  useEffect(() => {
    if (shown === undefined || shownMs === undefined) return
    const timer = setTimeout(() => setShown(undefined), shownMs)
    return () => clearTimeout(timer)
  }, [shown, shownMs])
  return (
    <>
      {shown === undefined ? (
        <Button size="small" look="quiet" busy={show.isPending} onClick={() => show.mutate()} icon={Eye}>
          Show secret
        </Button>
      ) : (
        shownMs !== undefined && (
          <Button size="small" look="quiet" onClick={() => setShown(undefined)} icon={EyeOff}>
            Hide secret
          </Button>
        )
      )}
      {shown !== undefined && <output className="mono secret">{shown}</output>}
      {show.error && <Problem error={show.error} />}
    </>
  )
}
